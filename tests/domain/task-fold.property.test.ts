import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { StreamResponse, TaskState } from '../../src/domain/a2a.ts';
import type { TaskView } from '../../src/domain/task-fold.ts';
import { foldTask, newTaskView } from '../../src/domain/task-fold.ts';
import type { LogEntry } from '../../src/domain/task-log.ts';
import { canBecome, isTerminal } from '../../src/domain/task-state.ts';

const start = newTaskView({
  taskId: 't',
  contextId: 'c',
  message: { messageId: 'm', role: 'ROLE_USER', parts: [] },
  at: '2026-01-01T00:00:30.000Z',
});

const someId = fc.constantFrom('a', 'b', '__proto__', 'constructor', '1', '01', 'hasOwnProperty');
const at = fc.nat(59).map((second) => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`);
const small = fc.nat(3);
const part = fc.oneof(
  fc.record({ text: fc.string({ maxLength: 5 }) }),
  fc.record({ text: fc.string({ maxLength: 5 }), mediaType: fc.constant('text/html') }),
  fc.record({ data: fc.nat() }),
);
const artifact = fc.record({ artifactId: someId, parts: fc.array(part, { maxLength: 3 }) });
const state = fc.constantFrom<TaskState>(
  'TASK_STATE_SUBMITTED',
  ...Array.from({ length: 4 }, () => 'TASK_STATE_WORKING' as const),
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_AUTH_REQUIRED',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
);
const requestId = fc.constantFrom('r.1', 'r.2', '__proto__');
const message = fc.record({ messageId: someId, role: fc.constant('ROLE_USER' as const), parts: fc.array(part) });
const stage = { stageId: someId, element: small };

const entry: fc.Arbitrary<LogEntry> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record(
        {
          ...stage,
          turn: small,
          attempt: small,
          scheduledMs: small,
          seq: small,
          items: fc.array(
            fc.oneof(
              fc.record({ text: fc.string(), percent: fc.nat(100), at }, { requiredKeys: ['at'] }),
              fc.record({ artifact, append: fc.boolean(), lastChunk: fc.boolean() }),
            ),
            { maxLength: 3 },
          ),
        },
        { requiredKeys: ['stageId', 'turn', 'attempt', 'seq', 'items'] },
      )
      .map((signal): LogEntry => ({ entry: 'progress', signal })),
  },
  {
    weight: 2,
    arbitrary: fc
      .oneof(
        fc.record({ id: someId, contentHash: fc.constant('h'), by: fc.constant('caller' as const), at, message }),
        fc.record({
          id: someId,
          contentHash: fc.constant('h'),
          by: fc.constant('operator' as const),
          at,
          requestId,
          answer: fc.constant({ kind: 'free_text', text: 'x' } as const),
        }),
      )
      .map((signal): LogEntry => ({ entry: 'message', signal })),
  },
  {
    weight: 5,
    arbitrary: fc
      .oneof(
        fc.record({ type: fc.constant('status' as const), status: fc.record({ state, timestamp: at }) }),
        fc.record({ type: fc.constant('artifact' as const), artifact }),
        fc.record({
          type: fc.constant('asked' as const),
          question: fc.record({
            requestId,
            stageId: someId,
            askId: someId,
            kind: fc.constant('free_text' as const),
            message: fc.string(),
            callerAnswerable: fc.boolean(),
            shown: fc.boolean(),
            askedAt: at,
          }),
        }),
        fc.record({ type: fc.constant('settled' as const), requestId }),
        fc.record({
          type: fc.constant('receipt' as const),
          receipt: fc.record({
            id: someId,
            contentHash: fc.constant('h'),
            outcome: fc.constantFrom('answered' as const, 'queued' as const, 'refused' as const),
          }),
        }),
        fc.record({ type: fc.constant('run-closed' as const), ...stage }, { requiredKeys: ['type', 'stageId'] }),
        fc.record({ type: fc.constant('reply' as const), message }),
      )
      .map((record): LogEntry => ({ entry: 'record', record })),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      entry: fc.constant('closed' as const),
      kind: fc.constantFrom('completed' as const, 'failed' as const, 'terminated' as const),
      at,
    }),
  },
);
const log = fc.array(entry, { maxLength: 40 });

function fold(entries: readonly LogEntry[], from: TaskView = start): TaskView {
  return entries.reduce((view, each) => foldTask(view, each).view, from);
}

/** What a client builds that has the snapshot and then each event of the stream. */
function clientTask(shown: readonly StreamResponse[]): {
  state: TaskState;
  timestamp: string;
  artifactIds: readonly string[];
} {
  let { state: now, timestamp } = start.task.status;
  const artifactIds = new Set<string>();
  for (const each of shown) {
    if ('statusUpdate' in each) ({ state: now, timestamp } = each.statusUpdate.status);
    if ('artifactUpdate' in each) artifactIds.add(each.artifactUpdate.artifact.artifactId);
  }
  return { state: now, timestamp, artifactIds: [...artifactIds] };
}

describe('any log, with entries late, repeated and stale', () => {
  it('is a legal task at every step', () => {
    fc.assert(
      fc.property(log, (entries) => {
        let view = start;
        for (const each of entries) {
          const before = view.task;
          const folded = foldTask(view, each);
          view = folded.view;
          const { task } = view;
          if (isTerminal(before.status.state)) {
            expect(task).toEqual(before);
            expect(folded.shown).toEqual([]);
          } else {
            expect(canBecome(before.status.state, task.status.state)).toBe(true);
          }
          expect(task.status.timestamp >= before.status.timestamp).toBe(true);
          expect(task.history.slice(0, before.history.length)).toEqual(before.history);
          const ids = task.artifacts.map(({ artifactId }) => artifactId);
          expect(new Set(ids).size).toBe(ids.length);
          expect(view.inbox.filter(({ id }) => Object.hasOwn(view.receipts, id))).toEqual([]);
        }
      }),
    );
  });

  it('folds the same in two halves, the first carried as JSON, as whole', () => {
    fc.assert(
      fc.property(log, fc.nat(40), (entries, at) => {
        const half = JSON.parse(JSON.stringify(fold(entries.slice(0, at)))) as TaskView;
        expect(fold(entries.slice(at), half)).toEqual(fold(entries));
      }),
    );
  });

  it('takes each signal once: repeating them all behind their first delivery changes nothing', () => {
    fc.assert(
      fc.property(log, (entries) => {
        const twice = entries.flatMap((each): LogEntry[] =>
          each.entry === 'progress' || each.entry === 'message' ? [each, each] : [each],
        );
        expect(fold(twice)).toEqual(fold(entries));
      }),
    );
  });

  it('shows on the stream what the task becomes', () => {
    fc.assert(
      fc.property(log, (entries) => {
        let view = start;
        const shown: StreamResponse[] = [];
        for (const each of entries) {
          const folded = foldTask(view, each);
          view = folded.view;
          shown.push(...folded.shown);
        }
        expect(clientTask(shown)).toEqual({
          state: view.task.status.state,
          timestamp: view.task.status.timestamp,
          artifactIds: view.task.artifacts.map(({ artifactId }) => artifactId),
        });
      }),
    );
  });

  it('leaves what it was given as it was', () => {
    fc.assert(
      fc.property(log, (entries) => {
        const before = JSON.stringify([start, entries]);
        fold(entries);
        expect(JSON.stringify([start, entries])).toBe(before);
      }),
    );
  });
});
