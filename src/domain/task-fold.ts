/** The one reducer: from a task's log to the A2A Task, and to what a stream shows of each entry. Pure. */
import type { Artifact, Message, StreamResponse, Task, TaskState, TaskStatus } from './a2a.ts';
import { continuesText } from './a2a.ts';
import type { JsonObject } from './json.ts';
import { own } from './own.ts';
import type { Question } from './question.ts';
import type { CloseKind, LogEntry, LogRecord, MessageSignal, ProgressSignal, Receipt } from './task-log.ts';
import { canBecome, isTerminal } from './task-state.ts';

/** The folded task. JSON through and through: it is a query's result, and is carried over continue-as-new. */
export interface TaskView {
  readonly task: Task & { readonly artifacts: readonly Artifact[]; readonly history: readonly Message[] };
  readonly questions: readonly Question[];
  /** What became of each message signal, by its ID. */
  readonly receipts: Readonly<Record<string, Receipt>>;
  /** Messages whose receipt is still to come, in the order in which they came. */
  readonly inbox: readonly MessageSignal[];
  /** The newest try of each stage run, by `runKey`. */
  readonly runs: Readonly<Record<string, RunMark>>;
  /** Set when the task is answered with a Message instead of itself. */
  readonly reply?: Message;
}

interface RunMark {
  readonly turn: number;
  readonly attempt: number;
  readonly scheduledMs?: number;
  readonly seq: number;
  readonly closed: boolean;
  /** Artifacts that this try has already begun; its first chunk replaces what an older try left. */
  readonly begun: readonly string[];
}

export interface Folded {
  readonly view: TaskView;
  /** What a stream shows for this entry; often nothing. */
  readonly shown: readonly StreamResponse[];
}

/** The task as it is when its workflow starts. */
export function newTaskView(start: { taskId: string; contextId: string; message: Message; at: string }): TaskView {
  return {
    task: {
      id: start.taskId,
      contextId: start.contextId,
      status: { state: 'TASK_STATE_SUBMITTED', timestamp: start.at },
      artifacts: [],
      history: [{ ...start.message, taskId: start.taskId, contextId: start.contextId }],
    },
    questions: [],
    receipts: {},
    inbox: [],
    runs: {},
  };
}

export function foldTask(view: TaskView, entry: LogEntry): Folded {
  switch (entry.entry) {
    case 'progress':
      return foldProgress(view, entry.signal);
    case 'message':
      return { view: foldMessage(view, entry.signal), shown: [] };
    case 'record':
      return isTerminal(view.task.status.state)
        ? { view: foldAfterEnd(view, entry.record), shown: [] }
        : foldRecord(view, entry.record);
    case 'closed':
      return foldClosed(view, entry.kind, entry.at);
  }
}

export function runKey(run: { stageId: string; element?: number }): string {
  return run.element === undefined ? run.stageId : `${run.stageId}/${run.element}`;
}

function foldMessage(view: TaskView, signal: MessageSignal): TaskView {
  const isKnown = Object.hasOwn(view.receipts, signal.id) || view.inbox.some(({ id }) => id === signal.id);
  return isKnown ? view : { ...view, inbox: [...view.inbox, signal] };
}

function foldProgress(view: TaskView, signal: ProgressSignal): Folded {
  const key = runKey(signal);
  const mark = own(view.runs, key);
  if (isTerminal(view.task.status.state) || (mark !== undefined && !isNewer(signal, mark))) return { view, shown: [] };

  const isSameTry = mark !== undefined && compareTries(signal, mark) === 0;
  const begun = new Set(isSameTry ? mark.begun : []);
  const shown: StreamResponse[] = [];
  let next = view;
  for (const [index, item] of signal.items.entries()) {
    let folded: Folded;
    if ('artifact' in item) {
      const append = item.append && begun.has(item.artifact.artifactId);
      begun.add(item.artifact.artifactId);
      folded = showArtifact(next, item.artifact, { append, lastChunk: item.lastChunk });
    } else {
      folded = showProgress(next, signal, item, index);
    }
    next = folded.view;
    shown.push(...folded.shown);
  }
  const newMark: RunMark = {
    turn: signal.turn,
    attempt: signal.attempt,
    ...(signal.scheduledMs !== undefined && { scheduledMs: signal.scheduledMs }),
    seq: signal.seq,
    closed: false,
    begun: [...begun],
  };
  return { view: { ...next, runs: { ...next.runs, [key]: newMark } }, shown };
}

/** Batches of one try arrive in order, as only one is in flight; what is not newer is a repeat or an older try's. */
function isNewer(signal: ProgressSignal, mark: RunMark): boolean {
  if (mark.closed) return false;
  const order = compareTries(signal, mark);
  return order === 0 ? signal.seq > mark.seq : order > 0;
}

type Try = Pick<RunMark, 'turn' | 'attempt' | 'scheduledMs'>;

/** Above 0: `a` is the newer one. Where a worker of an older version does not say when, the numbers tell. */
function compareTries(a: Try, b: Try): number {
  const later = a.scheduledMs === undefined || b.scheduledMs === undefined ? 0 : a.scheduledMs - b.scheduledMs;
  return later || a.turn - b.turn || a.attempt - b.attempt;
}

function showProgress(
  view: TaskView,
  signal: ProgressSignal,
  item: { text?: string; percent?: number; step?: string; at: string },
  index: number,
): Folded {
  const { task } = view;
  const metadata: JsonObject = {
    stage: signal.stageId,
    ...(signal.element !== undefined && { element: signal.element }),
    ...(item.percent !== undefined && { percent: item.percent }),
    ...(item.step !== undefined && { step: item.step }),
  };
  // A question stays in sight while other stages go on.
  if (task.status.state !== 'TASK_STATE_WORKING') {
    const withText = item.text === undefined ? metadata : { ...metadata, text: item.text };
    return showStatus(view, task.status, withText);
  }
  const status: TaskStatus = {
    state: 'TASK_STATE_WORKING',
    timestamp: item.at,
    ...(item.text !== undefined && {
      message: {
        messageId: progressMessageId(signal, index),
        taskId: task.id,
        contextId: task.contextId,
        role: 'ROLE_AGENT',
        parts: [{ text: item.text, mediaType: 'text/plain' }],
      },
    }),
  };
  return showStatus(view, status, metadata);
}

function progressMessageId(signal: ProgressSignal, index: number): string {
  const { turn, attempt, scheduledMs, seq } = signal;
  const tryId = scheduledMs === undefined ? `${turn}-${attempt}` : `${turn}-${attempt}-${scheduledMs.toString(36)}`;
  return `progress-${runKey(signal)}-${tryId}-${seq}-${index}`;
}

function showStatus(view: TaskView, status: TaskStatus, metadata?: JsonObject): Folded {
  const { task } = view;
  // Clocks of several machines meet here: a task's status times never go backwards.
  const timestamp = status.timestamp < task.status.timestamp ? task.status.timestamp : status.timestamp;
  const next: TaskStatus = { ...status, timestamp };
  return {
    view: { ...view, task: { ...task, status: next } },
    shown: [
      {
        statusUpdate: {
          taskId: task.id,
          contextId: task.contextId,
          status: next,
          ...(metadata !== undefined && { metadata }),
        },
      },
    ],
  };
}

function showArtifact(
  view: TaskView,
  artifact: Artifact,
  how: { append: boolean; lastChunk: boolean; metadata?: JsonObject },
): Folded {
  const { task } = view;
  const before = task.artifacts.find(({ artifactId }) => artifactId === artifact.artifactId);
  const append = how.append && before !== undefined;
  const merged = append ? { ...before, ...artifact, parts: mergeParts(before.parts, artifact.parts) } : artifact;
  const artifacts =
    before === undefined
      ? [...task.artifacts, merged]
      : task.artifacts.map((each) => (each.artifactId === artifact.artifactId ? merged : each));
  return {
    view: { ...view, task: { ...task, artifacts } },
    shown: [
      {
        artifactUpdate: {
          taskId: task.id,
          contextId: task.contextId,
          artifact,
          append,
          lastChunk: how.lastChunk,
          ...(how.metadata !== undefined && { metadata: how.metadata }),
        },
      },
    ],
  };
}

function mergeParts(before: Artifact['parts'], added: Artifact['parts']): Artifact['parts'] {
  const parts = [...before];
  for (const part of added) {
    const last = parts.at(-1);
    if (continuesText(last, part)) {
      parts[parts.length - 1] = { ...last, text: last.text + (part.text ?? '') };
    } else {
      parts.push(part);
    }
  }
  return parts;
}

function foldRecord(view: TaskView, record: LogRecord): Folded {
  switch (record.type) {
    case 'status':
      return canBecome(view.task.status.state, record.status.state)
        ? showStatus(view, record.status, record.metadata)
        : { view, shown: [] };
    case 'artifact':
      return showArtifact(view, record.artifact, {
        append: false,
        lastChunk: true,
        ...(record.metadata !== undefined && { metadata: record.metadata }),
      });
    case 'asked':
      return { view: { ...view, questions: [...view.questions, record.question] }, shown: [] };
    case 'settled':
      return { view: foldSettled(view, record.requestId), shown: [] };
    case 'receipt':
      return { view: foldReceipt(view, record.receipt), shown: [] };
    case 'run-closed':
      return { view: foldRunClosed(view, record), shown: [] };
    case 'reply':
      return { view: { ...view, reply: record.message }, shown: [{ message: record.message }] };
  }
}

/** A task that has ended takes nothing more; only what became of a message is still noted. */
function foldAfterEnd(view: TaskView, record: LogRecord): TaskView {
  return record.type === 'receipt' ? { ...foldReceipt(view, record.receipt), task: view.task } : view;
}

function foldRunClosed(view: TaskView, run: { stageId: string; element?: number }): TaskView {
  const mark = own(view.runs, runKey(run)) ?? { turn: 0, attempt: 0, seq: 0, closed: false, begun: [] };
  return { ...view, runs: { ...view.runs, [runKey(run)]: { ...mark, closed: true, begun: [] } } };
}

/** The question becomes part of the conversation when it is over, so that it never stands there twice. */
function foldSettled(view: TaskView, requestId: string): TaskView {
  const question = view.questions.find((each) => each.requestId === requestId);
  if (question === undefined) return view;
  const asked: Message = {
    messageId: `question-${requestId}`,
    taskId: view.task.id,
    contextId: view.task.contextId,
    role: 'ROLE_AGENT',
    parts: [{ text: question.message, mediaType: 'text/plain' }],
    metadata: { requestId, kind: 'input-request' },
  };
  return {
    ...view,
    questions: view.questions.filter((each) => each.requestId !== requestId),
    task: question.shown ? { ...view.task, history: [...view.task.history, asked] } : view.task,
  };
}

function foldReceipt(view: TaskView, receipt: Receipt): TaskView {
  const signal = view.inbox.find(({ id }) => id === receipt.id);
  const inbox = view.inbox.filter(({ id }) => id !== receipt.id);
  const receipts = { ...view.receipts, [receipt.id]: receipt };
  const isSaid = receipt.outcome !== 'refused' && signal !== undefined && 'message' in signal;
  if (!isSaid) return { ...view, inbox, receipts };
  const { id: taskId, contextId } = view.task;
  const history = [...view.task.history, { ...signal.message, taskId, contextId }];
  return { ...view, inbox, receipts, task: { ...view.task, history } };
}

const STATE_BY_CLOSE: Readonly<Record<CloseKind, TaskState>> = {
  completed: 'TASK_STATE_COMPLETED',
  canceled: 'TASK_STATE_CANCELED',
  failed: 'TASK_STATE_FAILED',
  terminated: 'TASK_STATE_FAILED',
  'timed-out': 'TASK_STATE_FAILED',
};

const REASON_BY_CLOSE: Readonly<Record<CloseKind, string | undefined>> = {
  completed: undefined,
  canceled: undefined,
  failed: 'Internal error',
  terminated: 'Stopped by an operator',
  'timed-out': 'The task ran out of time',
};

/** The last word, where the workflow could not say it itself: terminated, timed out, or broken. */
function foldClosed(view: TaskView, kind: CloseKind, at: string): Folded {
  if (isTerminal(view.task.status.state)) return { view, shown: [] };
  const reason = REASON_BY_CLOSE[kind];
  const { id: taskId, contextId } = view.task;
  return showStatus(
    { ...view, questions: [] },
    {
      state: STATE_BY_CLOSE[kind],
      timestamp: at,
      ...(reason !== undefined && {
        message: {
          messageId: `closed-${taskId}`,
          taskId,
          contextId,
          role: 'ROLE_AGENT',
          parts: [{ text: reason, mediaType: 'text/plain' }],
          metadata: { reason: kind },
        },
      }),
    },
  );
}
