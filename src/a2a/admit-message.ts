import { contentHash } from '../contract/submission-key.ts';
import { parseAnswer } from '../contract/answer.ts';
import { type Message, textOf } from '../domain/a2a.ts';
import { Failure } from '../domain/failure.ts';
import type { TaskView } from '../domain/task-fold.ts';
import type { MessageSignal, Receipt, RefusalReason } from '../domain/task-log.ts';
import { isTerminal } from '../domain/task-state.ts';
import type { StartTask } from '../dispatch/start-task.ts';
import { followUntil } from '../temporal/tasks/follow-until.ts';
import type { TaskWorkflows } from '../temporal/tasks/task-workflows.ts';
import type { Call } from './call.ts';
import type { Progressed } from './callers-move.ts';
import { requireOwnTask } from './own-task.ts';

export interface AdmittedMessage {
  readonly taskId: string;
  /** False: it is on its way, and stays so until a worker is there. */
  readonly isTaken: boolean;
  readonly progressed: Progressed;
  /** The message has begun the task just now. */
  readonly isNew: boolean;
  /** The task at that moment; absent when the same message had begun it before. */
  readonly view?: TaskView;
}

/** The message has begun a task, or the task that it names has taken it: shared by both ways to send. */
export type AdmitMessage = (message: Message, call: Call) => Promise<AdmittedMessage>;

/** How long a receipt may take while workers are there; without any it is five seconds. */
const RECEIPT_LIMIT_MS = 30_000;

export function createAdmitMessage({ tasks, startTask }: { tasks: TaskWorkflows; startTask: StartTask }): AdmitMessage {
  return async function admitMessage(message, call) {
    if (message.taskId !== undefined) return continueTask(tasks, { ...message, taskId: message.taskId }, call);
    const idempotencyKey = call.idempotencyKey ?? idempotencyKeyOf(message);
    const { taskId, isNew, view } = await startTask({
      caller: call.caller,
      message,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    return { taskId, isTaken: true, isNew, progressed: {}, ...(view !== undefined && { view }) };
  };
}

function idempotencyKeyOf({ metadata = {} }: Message): string | undefined {
  const entry = Object.entries(metadata).find(([name]) => name.toLowerCase() === 'idempotency-key');
  return typeof entry?.[1] === 'string' && entry[1] !== '' ? entry[1] : undefined;
}

async function continueTask(
  tasks: TaskWorkflows,
  message: Message & { taskId: string },
  call: Call,
): Promise<AdmittedMessage> {
  const { taskId, messageId } = message;
  const { contextId } = await requireOwnTask(tasks, taskId, call.caller);
  if (message.contextId !== undefined && message.contextId !== contextId) {
    throw new Failure('invalid-request', 'The task belongs to another context', {
      violations: [{ field: 'message.contextId', description: 'is not the context of the task' }],
    });
  }

  const before = await tasks.read(taskId);
  const isRepeat = isKnown(before, messageId);
  if (!isRepeat) {
    if (isTerminal(before.task.status.state)) throw taskEnded();
    await sendUnlessEnded(tasks, taskId, toSignal(message, before));
  }
  const after = await followUntil(tasks, taskId, {
    isReached: (view) => Object.hasOwn(view.receipts, messageId),
    limitMs: RECEIPT_LIMIT_MS,
    signal: call.signal,
  });
  const receipt = checkReceipt(message, after);
  const { state, timestamp } = before.task.status;
  return {
    taskId,
    isTaken: receipt !== undefined,
    isNew: false,
    view: after,
    progressed: {
      ...(receipt?.requestId !== undefined && { answeredRequestId: receipt.requestId }),
      ...(!isRepeat && state === 'TASK_STATE_AUTH_REQUIRED' && { authAskedAt: timestamp }),
    },
  };
}

function isKnown(view: TaskView, messageId: string): boolean {
  return Object.hasOwn(view.receipts, messageId) || view.inbox.some(({ id }) => id === messageId);
}

/** A message that names an open question answers that one; any other text is for the task to make sense of. */
function toSignal(message: Message, view: TaskView): MessageSignal {
  const signal = {
    id: message.messageId,
    contentHash: contentHash(message),
    by: 'caller',
    at: new Date().toISOString(),
    message,
  } as const;
  const requestId = message.metadata?.['requestId'];
  if (typeof requestId !== 'string') return signal;
  const question = view.questions.find((each) => each.requestId === requestId);
  if (question === undefined) throw REFUSALS['stale-question'](undefined);
  return { ...signal, requestId, answer: parseAnswer(textOf(message), question) };
}

/** It may have ended since it was read: then the receipts, if any, tell whether this message had come before. */
async function sendUnlessEnded(tasks: TaskWorkflows, taskId: string, signal: MessageSignal): Promise<void> {
  try {
    await tasks.sendMessage(taskId, signal);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'unsupported-operation') throw error;
  }
}

/** @throws {Failure} when the task has refused the message, or has ended without it */
function checkReceipt(message: Message, { task, receipts, inbox }: TaskView): Receipt | undefined {
  const { messageId } = message;
  const receipt = Object.hasOwn(receipts, messageId) ? receipts[messageId] : undefined;
  const known = receipt ?? inbox.find(({ id }) => id === messageId);
  if (known !== undefined && known.contentHash !== contentHash(message)) {
    throw new Failure('message-conflict', 'This messageId has come before with other content');
  }
  if (receipt === undefined && isTerminal(task.status.state)) throw taskEnded();
  if (receipt?.outcome === 'refused') throw REFUSALS[receipt.reason ?? 'ending'](receipt.requestIds);
  return receipt;
}

function taskEnded(): Failure {
  return new Failure('unsupported-operation', 'The task has ended and takes no more messages');
}

const REFUSALS: Readonly<Record<RefusalReason, (requestIds: readonly string[] | undefined) => Failure>> = {
  'not-waiting': () =>
    new Failure('unsupported-operation', 'The task is working and takes no messages now', {
      metadata: { category: 'not-waiting' },
    }),
  'several-questions': (requestIds = []) =>
    new Failure(
      'invalid-request',
      `Several questions are open: name one in metadata.requestId (${requestIds.join(', ')})`,
      {
        metadata: { category: 'several-questions', requestIds: requestIds.join(',') },
        violations: [{ field: 'message.metadata.requestId', description: 'must name the question that is answered' }],
      },
    ),
  'stale-question': () => new Failure('stale-question', 'This question is not open: answered already, or never asked'),
  'not-answerable': () => new Failure('stale-question', 'This question is not open: answered already, or never asked'),
  'wrong-answer-kind': () =>
    new Failure('invalid-request', 'The question asks for another kind of answer', {
      metadata: { category: 'wrong-answer-kind' },
    }),
  ending: taskEnded,
};
