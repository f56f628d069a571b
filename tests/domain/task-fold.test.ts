import { describe, expect, it } from '@jest/globals';
import type { Artifact, Part, StreamResponse, TaskState } from '../../src/domain/a2a.ts';
import type { Question } from '../../src/domain/question.ts';
import type { TaskView } from '../../src/domain/task-fold.ts';
import { foldTask, newTaskView, runKey } from '../../src/domain/task-fold.ts';
import type {
  CloseKind,
  LogEntry,
  LogRecord,
  MessageSignal,
  ProgressItem,
  ProgressSignal,
} from '../../src/domain/task-log.ts';

const T = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`;
const start = newTaskView({
  taskId: 't',
  contextId: 'c',
  message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'go' }] },
  at: T(1),
});

const progress = (changes: Partial<ProgressSignal>, ...items: ProgressItem[]): LogEntry => ({
  entry: 'progress',
  signal: { stageId: 's', turn: 0, attempt: 1, seq: 1, items, ...changes },
});
const line = (text: string, at = T(5)): ProgressItem => ({ text, at });
const chunk = (text: string, append = true, artifactId = 'a'): ProgressItem => ({
  artifact: { artifactId, parts: [{ text }] },
  append,
  lastChunk: false,
});
const record = (entry: LogRecord): LogEntry => ({ entry: 'record', record: entry });
const status = (state: TaskState, at = T(2)): LogEntry => record({ type: 'status', status: { state, timestamp: at } });
const working = status('TASK_STATE_WORKING');
const message = (id: string): MessageSignal => ({
  id,
  contentHash: 'h',
  by: 'caller',
  at: T(3),
  message: { messageId: id, role: 'ROLE_USER', parts: [{ text: id }] },
});
const receipt = (id: string, outcome: 'answered' | 'queued' | 'refused'): LogEntry =>
  record({ type: 'receipt', receipt: { id, contentHash: 'h', outcome } });
const question: Question = {
  requestId: 'r.1',
  stageId: 's',
  askId: 'q',
  kind: 'free_text',
  message: 'Which?',
  callerAnswerable: true,
  shown: true,
  askedAt: T(2),
};

function fold(...entries: LogEntry[]): { view: TaskView; shown: StreamResponse[] } {
  const shown: StreamResponse[] = [];
  let view = start;
  for (const entry of entries) {
    const folded = foldTask(view, entry);
    view = folded.view;
    shown.push(...folded.shown);
  }
  return { view, shown };
}
const textOf = (artifacts: readonly Artifact[], artifactId = 'a'): string | undefined =>
  artifacts
    .find((each) => each.artifactId === artifactId)
    ?.parts.map(({ text }) => text)
    .join('|');
const artifactTextAfter = (...entries: LogEntry[]): string | undefined =>
  textOf(fold(working, ...entries).view.task.artifacts);

describe('a new task', () => {
  it('is SUBMITTED and holds its message, placed', () => {
    expect(start.task).toEqual({
      id: 't',
      contextId: 'c',
      status: { state: 'TASK_STATE_SUBMITTED', timestamp: T(1) },
      artifacts: [],
      history: [{ messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'go' }], taskId: 't', contextId: 'c' }],
    });
  });
});

describe('progress', () => {
  it('shows as the working status, with its stage for programs', () => {
    const { view, shown } = fold(working, progress({ element: 2 }, { text: 'half', percent: 50, step: 'x', at: T(5) }));
    expect(view.task.status).toMatchObject({
      state: 'TASK_STATE_WORKING',
      timestamp: T(5),
      message: { parts: [{ text: 'half' }] },
    });
    expect(shown[1]).toMatchObject({ statusUpdate: { metadata: { stage: 's', element: 2, percent: 50, step: 'x' } } });
  });

  it('gives each line a message of its own', () => {
    const { shown } = fold(working, progress({}, line('a'), line('b')), progress({ seq: 2 }, line('c')));
    const ids = shown
      .slice(1)
      .map((each) => ('statusUpdate' in each ? each.statusUpdate.status.message?.messageId : ''));
    expect(new Set(ids).size).toBe(3);
  });

  it.each<TaskState>(['TASK_STATE_SUBMITTED', 'TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_AUTH_REQUIRED'])(
    'leaves %s in sight, and says its text beside it',
    (state) => {
      const { view, shown } = fold(status(state), progress({}, line('half')));
      expect(view.task.status).toEqual({ state, timestamp: T(2) });
      expect(shown[1]).toMatchObject({ statusUpdate: { status: { state }, metadata: { stage: 's', text: 'half' } } });
    },
  );

  it('never sets the time back, whatever the clock of a worker says', () => {
    const { view } = fold(status('TASK_STATE_WORKING', T(9)), progress({}, line('late', T(3))));
    expect(view.task.status).toMatchObject({ timestamp: T(9), message: { parts: [{ text: 'late' }] } });
  });

  it.each([
    ['the same batch again', { seq: 2 }],
    ['an earlier batch', { seq: 1 }],
    ['an older attempt', { attempt: 1, seq: 9 }],
    ['an older turn', { turn: 0, attempt: 9, seq: 9 }],
    ['what an earlier try still sends after a reset', { turn: 3, attempt: 9, seq: 9, scheduledMs: 99 }],
  ])('drops %s', (_name, older) => {
    const newest = { turn: 1, attempt: 2, seq: 2, scheduledMs: 100 };
    const before = fold(working, progress(newest, chunk('new'), line('new')));
    const after = foldTask(before.view, progress({ ...newest, ...older }, chunk('old'), line('old')));
    expect(after.shown).toEqual([]);
    expect(after.view).toBe(before.view);
  });

  it.each([
    ['the next batch', { seq: 2 }],
    ['a newer attempt', { attempt: 2, seq: 1 }],
    ['a newer turn, its attempts counted anew', { turn: 1, attempt: 1, seq: 1 }],
    ['a newer attempt of a worker that says when', { attempt: 2, seq: 1, scheduledMs: 1 }],
    ['another stage', { stageId: 'other' }],
    ['an element of its own', { element: 0 }],
  ])('takes %s', (_name, next) => {
    const before = fold(working, progress({}, line('old')));
    expect(foldTask(before.view, progress(next, line('new'))).shown).toHaveLength(1);
  });

  it('takes what a stage shows after a reset, although turns and attempts count anew', () => {
    const before = fold(working, progress({ turn: 2, attempt: 3, seq: 9, scheduledMs: 100 }, line('old')));
    const after = foldTask(before.view, progress({ scheduledMs: 200 }, line('new')));
    expect(after.view.task.status.message?.parts[0]?.text).toBe('new');
    const ids = [before, after].map(({ view }) => view.task.status.message?.messageId);
    expect(new Set(ids).size).toBe(2);
  });

  it('counts for nothing once its run is closed', () => {
    const { view, shown } = fold(
      working,
      record({ type: 'run-closed', stageId: 's' }),
      progress({ turn: 5 }, chunk('late')),
    );
    expect(view.task.artifacts).toEqual([]);
    expect(shown).toHaveLength(1);
  });

  it('of one element goes on when another is closed', () => {
    const { shown } = fold(
      working,
      record({ type: 'run-closed', stageId: 's', element: 0 }),
      progress({ element: 1 }, line('x')),
    );
    expect(shown).toHaveLength(2);
  });

  it.each(['__proto__', 'constructor', '1', '01', 'toString'])(
    'of a stage and an artifact named %s is like any other',
    (id) => {
      const once = fold(
        working,
        progress({ stageId: id }, chunk('a', true, id)),
        progress({ stageId: id }, chunk('again', true, id)),
      );
      const carried = JSON.parse(JSON.stringify(once.view)) as TaskView;
      const { view } = foldTask(carried, progress({ stageId: id, seq: 2 }, chunk('b', true, id)));
      expect(textOf(view.task.artifacts, id)).toBe('ab');
      expect(Object.keys(view.runs)).toEqual([id]);
      expect(foldTask(view, progress({ stageId: id, seq: 2 }, line('again'))).shown).toEqual([]);
    },
  );
});

describe('chunks of an artifact', () => {
  it.each([
    ['are joined to one text', [progress({}, chunk('a'), chunk('b')), progress({ seq: 2 }, chunk('c'))], 'abc'],
    ['begin anew when they say so', [progress({}, chunk('a'), chunk('b', false), chunk('c'))], 'bc'],
    [
      'of a new attempt replace those of an older one',
      [progress({}, chunk('old')), progress({ attempt: 2 }, chunk('n'), chunk('ew'))],
      'new',
    ],
    [
      'of a new turn replace those of an older one',
      [progress({ attempt: 3 }, chunk('old')), progress({ turn: 1 }, chunk('new'))],
      'new',
    ],
    [
      'of a try after a reset replace those of one before it',
      [
        progress({ turn: 1, attempt: 3, scheduledMs: 100 }, chunk('old')),
        progress({ scheduledMs: 200 }, chunk('n')),
        progress({ seq: 2, scheduledMs: 200 }, chunk('ew')),
      ],
      'new',
    ],
    [
      'are joined over the batches of the new attempt',
      [
        progress({}, chunk('old')),
        progress({ attempt: 2 }, line('x')),
        progress({ attempt: 2, seq: 2 }, chunk('n')),
        progress({ attempt: 2, seq: 3 }, chunk('ew')),
      ],
      'new',
    ],
    ['stay when the new attempt sends none', [progress({}, chunk('old')), progress({ attempt: 2 }, line('x'))], 'old'],
    [
      'of the older attempt do not come back',
      [progress({ attempt: 2 }, chunk('new')), progress({ seq: 7 }, chunk('old'))],
      'new',
    ],
  ])('%s', (_name, entries, text) => {
    expect(artifactTextAfter(...entries)).toBe(text);
  });

  it('say on the stream whether they append', () => {
    const { shown } = fold(working, progress({}, chunk('a'), chunk('b')), progress({ attempt: 2 }, chunk('c')));
    expect(shown.slice(1).map((each) => 'artifactUpdate' in each && each.artifactUpdate.append)).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('keep apart what is of another media type, or no text', () => {
    const typed = (part: Artifact['parts'][number]): ProgressItem => ({
      artifact: { artifactId: 'a', parts: [part] },
      append: true,
      lastChunk: false,
    });
    const { view } = fold(
      working,
      progress(
        {},
        typed({ text: 'a' }),
        typed({ text: 'b', mediaType: 'text/html' }),
        typed({ data: 1 }),
        typed({ text: 'c' }),
        typed({ text: 'd' }),
      ),
    );
    expect(view.task.artifacts[0]?.parts).toEqual([
      { text: 'a' },
      { text: 'b', mediaType: 'text/html' },
      { data: 1 },
      { text: 'cd' },
    ]);
  });

  it('that say what is theirs alone stay parts of their own', () => {
    const of = (part: Part): ProgressItem => ({
      artifact: { artifactId: 'a', parts: [part] },
      append: true,
      lastChunk: false,
    });
    const parts: readonly Part[] = [
      { text: 'a', filename: 'one.txt', metadata: { line: 1 } },
      { text: 'b', filename: 'two.txt' },
      { text: 'c', filename: 'two.txt' },
      { text: 'd', metadata: { line: 2 } },
      { text: 'e' },
    ];
    const { view } = fold(working, progress({}, ...parts.map(of)));
    expect(view.task.artifacts[0]?.parts).toEqual([
      { text: 'a', filename: 'one.txt', metadata: { line: 1 } },
      { text: 'bc', filename: 'two.txt' },
      { text: 'de', metadata: { line: 2 } },
    ]);
  });

  it('of 60,000 are one part', () => {
    const chunks = Array.from({ length: 60 }, (_, seq) =>
      progress({ seq }, ...Array.from({ length: 1000 }, () => chunk('x'))),
    );
    const { view } = fold(working, ...chunks);
    expect(view.task.artifacts[0]?.parts).toEqual([{ text: 'x'.repeat(60_000) }]);
  });
});

describe('messages', () => {
  it('wait in order, each ID once', () => {
    const { view, shown } = fold(
      ...['b', 'a', 'b', '__proto__', '__proto__'].map((id) => ({ entry: 'message' as const, signal: message(id) })),
    );
    expect(view.inbox.map(({ id }) => id)).toEqual(['b', 'a', '__proto__']);
    expect(shown).toEqual([]);
  });

  it.each(['a', '__proto__', 'constructor', '1', '01'])(
    'with the ID %s become part of the conversation once they are taken',
    (id) => {
      const entry: LogEntry = { entry: 'message', signal: message(id) };
      const { view } = fold(entry, receipt(id, 'queued'), entry);
      expect(view.inbox).toEqual([]);
      expect(Object.keys(view.receipts)).toEqual([id]);
      expect(view.task.history[1]).toEqual({
        messageId: id,
        role: 'ROLE_USER',
        parts: [{ text: id }],
        taskId: 't',
        contextId: 'c',
      });
      const carried = JSON.parse(JSON.stringify(view)) as TaskView;
      expect(foldTask(carried, entry).view).toEqual(view);
    },
  );

  it('that are refused do not', () => {
    const { view } = fold({ entry: 'message', signal: message('a') }, receipt('a', 'refused'));
    expect(view.task.history).toHaveLength(1);
    expect(view.receipts['a']).toMatchObject({ outcome: 'refused' });
  });

  it('that are answers to a question by its ID are not repeated as messages', () => {
    const signal: MessageSignal = {
      id: 'x',
      contentHash: 'h',
      by: 'operator',
      at: T(3),
      requestId: 'r.1',
      answer: { kind: 'free_text', text: 'b' },
    };
    expect(fold({ entry: 'message', signal }, receipt('x', 'answered')).view.task.history).toHaveLength(1);
  });
});

describe('questions', () => {
  const asked = record({ type: 'asked', question });
  const settled = record({ type: 'settled', requestId: 'r.1' });

  it('are open until they are settled, and then part of the conversation', () => {
    expect(fold(asked).view.questions).toEqual([question]);
    const { view } = fold(asked, settled, settled);
    expect(view.questions).toEqual([]);
    expect(view.task.history).toHaveLength(2);
    expect(view.task.history[1]).toMatchObject({
      messageId: 'question-r.1',
      role: 'ROLE_AGENT',
      parts: [{ text: 'Which?' }],
    });
  });

  it('that the caller does not see are not', () => {
    const hidden = record({ type: 'asked', question: { ...question, shown: false } });
    expect(fold(hidden, settled).view.task.history).toHaveLength(1);
  });
});

describe('records', () => {
  it('of an artifact replace it whole', () => {
    const artifact = { artifactId: 'a', parts: [{ text: 'whole' }] };
    const { view, shown } = fold(
      working,
      progress({}, chunk('part')),
      record({ type: 'artifact', artifact, metadata: { x: 1 } }),
    );
    expect(view.task.artifacts).toEqual([artifact]);
    expect(shown.at(-1)).toEqual({
      artifactUpdate: { taskId: 't', contextId: 'c', artifact, append: false, lastChunk: true, metadata: { x: 1 } },
    });
  });

  it('of a reply show the message', () => {
    const reply = { messageId: 'x', role: 'ROLE_AGENT', parts: [{ text: 'hi' }] } as const;
    const { view, shown } = fold(record({ type: 'reply', message: reply }));
    expect(view.reply).toEqual(reply);
    expect(shown).toEqual([{ message: reply }]);
  });

  it('of a status that cannot follow show nothing', () => {
    expect(fold(working, status('TASK_STATE_SUBMITTED', T(3))).shown).toHaveLength(1);
  });
});

describe('the end', () => {
  it.each<[CloseKind, TaskState, string | undefined]>([
    ['completed', 'TASK_STATE_COMPLETED', undefined],
    ['canceled', 'TASK_STATE_CANCELED', undefined],
    ['failed', 'TASK_STATE_FAILED', 'Internal error'],
    ['terminated', 'TASK_STATE_FAILED', 'Stopped by an operator'],
    ['timed-out', 'TASK_STATE_FAILED', 'The task ran out of time'],
  ])('by %s reads as %s where the workflow has not said so', (kind, state, text) => {
    const { view, shown } = fold(record({ type: 'asked', question }), { entry: 'closed', kind, at: T(7) });
    expect(view.task.status).toMatchObject({ state, timestamp: T(7) });
    expect(view.task.status.message?.parts[0]?.text).toBe(text);
    expect(view.questions).toEqual([]);
    expect(shown).toHaveLength(1);
  });

  const late: readonly [string, LogEntry][] = [
    ['progress', progress({ turn: 9 }, line('late'), chunk('late'))],
    ['a status', status('TASK_STATE_WORKING', T(9))],
    ['another end', status('TASK_STATE_COMPLETED', T(9))],
    ['an artifact', record({ type: 'artifact', artifact: { artifactId: 'late', parts: [] } })],
    ['a question', record({ type: 'asked', question: { ...question, requestId: 'r.2' } })],
    ['the settling of a question', record({ type: 'settled', requestId: 'r.1' })],
    ['a reply', record({ type: 'reply', message: { messageId: 'x', role: 'ROLE_AGENT', parts: [] } })],
    ['the close of the workflow', { entry: 'closed', kind: 'terminated', at: T(9) }],
  ];

  it.each(late)('takes no %s any more', (_name, entry) => {
    const ended = fold(record({ type: 'asked', question }), status('TASK_STATE_CANCELED', T(8)));
    const { view, shown } = foldTask(ended.view, entry);
    expect(shown).toEqual([]);
    expect(view).toEqual(ended.view);
  });

  it('still notes what became of a message, outside of the task', () => {
    const ended = fold({ entry: 'message', signal: message('a') }, status('TASK_STATE_CANCELED', T(8)));
    const { view } = foldTask(ended.view, receipt('a', 'queued'));
    expect(view.task).toBe(ended.view.task);
    expect(view.receipts['a']).toMatchObject({ outcome: 'queued' });
    expect(view.inbox).toEqual([]);
  });
});

it('names runs of a stage and its elements apart', () => {
  expect([runKey({ stageId: 'a' }), runKey({ stageId: 'a', element: 0 })]).toEqual(['a', 'a/0']);
});
