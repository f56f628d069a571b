import { randomUUID } from 'node:crypto';
import { parseAnswer } from '../contract/answer.ts';
import { checkMediaTypes } from '../contract/check-media-types.ts';
import { contentHash } from '../contract/submission-key.ts';
import { type Message, textOf } from '../domain/a2a.ts';
import { Failure } from '../domain/failure.ts';
import { inputModesOf } from '../domain/media-type.ts';
import type { Publication } from '../domain/pipeline.ts';
import type { TaskView } from '../domain/task-fold.ts';
import type { MessageSignal, Receipt, RefusalReason } from '../domain/task-log.ts';
import { isTerminal } from '../domain/task-state.ts';
import { followUntil } from '../temporal/tasks/follow-until.ts';
import type { TaskWorkflows } from '../temporal/tasks/task-workflows.ts';
import type { Call } from './call.ts';
import type { Progressed } from './callers-move.ts';
import { requireOwnTask } from './own-task.ts';

export interface AdmittedMessage {
  readonly taskId: string;
  /** Under which the task's receipts have it. */
  readonly receiptId: string;
  /** False: it is on its way, and stays so until a worker is there. */
  readonly isTaken: boolean;
  readonly progressed: Progressed;
  /** The message has begun the task just now. */
  readonly isNew: boolean;
  /** The task at that moment; absent when the same message had begun it before. */
  readonly view?: TaskView;
}

/** How long a receipt may take while workers are there; without any it is five seconds. */
const RECEIPT_LIMIT_MS = 30_000;

/** Answers are text or data, whatever a publication takes at its start. */
const ANSWER_MODES = ['text/plain', 'application/json'];

/**
 * A message to a task that is there: returns when the task has taken it.
 * @throws {Failure} when the task is not the caller's, has ended, or refuses the message
 */
export async function continueTask(
  { tasks, publications }: { tasks: TaskWorkflows; publications: readonly Publication[] },
  message: Message & { taskId: string },
  call: Call,
): Promise<AdmittedMessage> {
  const { taskId } = message;
  const { contextId, publication: publicationId } = await requireOwnTask(tasks, taskId, call);
  const publication = publications.find(({ id }) => id === publicationId);
  if (publication !== undefined) checkMediaTypes(message, [...ANSWER_MODES, ...inputModesOf(publication)]);
  // Where nothing is the same message, this one is another, whatever its ID.
  const receiptId = publication?.dedupe === 'none' ? randomUUID() : message.messageId;
  if (message.contextId !== undefined && message.contextId !== contextId) {
    throw new Failure('invalid-request', 'The task belongs to another context', {
      violations: [{ field: 'message.contextId', description: 'is not the context of the task' }],
    });
  }

  const before = await tasks.read(taskId);
  const isRepeat = isKnown(before, receiptId);
  if (!isRepeat) {
    if (isTerminal(before.task.status.state)) throw taskEnded();
    await sendUnlessEnded(tasks, taskId, toSignal(receiptId, message, before));
  }
  const after = await followUntil(tasks, taskId, {
    isReached: (view) => Object.hasOwn(view.receipts, receiptId),
    limitMs: RECEIPT_LIMIT_MS,
    signal: call.signal,
  });
  const receipt = checkReceipt(receiptId, message, after);
  const { state, timestamp } = before.task.status;
  return {
    taskId,
    receiptId,
    isTaken: receipt !== undefined,
    isNew: false,
    view: after,
    progressed: {
      ...(receipt?.requestId !== undefined && { answeredRequestId: receipt.requestId }),
      ...(!isRepeat && state === 'TASK_STATE_AUTH_REQUIRED' && { authAskedAt: timestamp }),
    },
  };
}

function isKnown(view: TaskView, receiptId: string): boolean {
  return Object.hasOwn(view.receipts, receiptId) || view.inbox.some(({ id }) => id === receiptId);
}

/** A message that names an open question answers that one; any other text is for the task to make sense of. */
function toSignal(receiptId: string, message: Message, view: TaskView): MessageSignal {
  const signal = {
    id: receiptId,
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
function checkReceipt(receiptId: string, message: Message, { task, receipts, inbox }: TaskView): Receipt | undefined {
  const receipt = Object.hasOwn(receipts, receiptId) ? receipts[receiptId] : undefined;
  const known = receipt ?? inbox.find(({ id }) => id === receiptId);
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
