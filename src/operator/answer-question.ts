import { createHash } from 'node:crypto';
import { canonicalJson } from '../contract/canonical-json.ts';
import { parseAnswer } from '../contract/answer.ts';
import { Failure } from '../domain/failure.ts';
import type { Json } from '../domain/json.ts';
import { own } from '../domain/own.ts';
import { taskIdOfRequest } from '../domain/request-id.ts';
import type { RefusalReason } from '../domain/task-log.ts';
import { followUntil } from '../temporal/tasks/follow-until.ts';
import type { TaskWorkflows } from '../temporal/tasks/task-workflows.ts';

export interface OperatorAnswer {
  readonly requestId: string;
  /** A string, or an answer object. */
  readonly answer: unknown;
}

/** `pending`: it is in the task's history, and no worker was there yet to take it. */
export type AnswerOutcome = 'answered' | 'pending';

const RECEIPT_LIMIT_MS = 30_000;

/** An operator answers any open question, once. */
export function createAnswerQuestion({ tasks }: { tasks: TaskWorkflows }) {
  /** @throws {Failure} `stale-question` when no such question is open; `invalid-request`; `unavailable` */
  return async function answerQuestion(
    { requestId, answer: given }: OperatorAnswer,
    signal: AbortSignal,
  ): Promise<AnswerOutcome> {
    const taskId = taskIdOfRequest(requestId);
    if (taskId === undefined || (await tasks.startMemo(taskId)) === undefined) throw notPending();
    const { questions, receipts } = await tasks.read(taskId);
    const contentHash = hashOf(requestId, given);
    const id = `operator-${contentHash}`;
    // Sent again by an operator who did not see the first reply.
    if (own(receipts, id)?.outcome === 'answered') return 'answered';
    const question = questions.find((each) => each.requestId === requestId);
    if (question === undefined) throw notPending();
    const answer = parseAnswer(given, question);
    await sendUnlessEnded(() =>
      tasks.sendMessage(taskId, { id, contentHash, by: 'operator', at: new Date().toISOString(), requestId, answer }),
    );
    const after = await followUntil(tasks, taskId, {
      isReached: (now) => Object.hasOwn(now.receipts, id),
      limitMs: RECEIPT_LIMIT_MS,
      signal,
    });
    const receipt = own(after.receipts, id);
    if (receipt === undefined) {
      if (after.questions.some((each) => each.requestId === requestId)) return 'pending';
      throw notPending();
    }
    if (receipt.outcome === 'refused') throw REFUSALS[receipt.reason ?? 'ending']();
    return 'answered';
  };
}

/** The same answer sent twice is one message; another answer is another, and comes too late. */
function hashOf(requestId: string, answer: unknown): string {
  return createHash('sha256')
    .update(canonicalJson({ requestId, answer: answer as Json }))
    .digest('hex');
}

async function sendUnlessEnded(send: () => Promise<void>): Promise<void> {
  try {
    await send();
  } catch (error) {
    if (error instanceof Failure && error.kind === 'unsupported-operation') throw notPending();
    throw error;
  }
}

function notPending(): Failure {
  return new Failure('stale-question', 'No pending request for that requestId (expired or already answered)');
}

const REFUSALS: Readonly<Record<RefusalReason, () => Failure>> = {
  'stale-question': notPending,
  'not-waiting': notPending,
  'several-questions': notPending,
  'not-answerable': notPending,
  ending: notPending,
  'wrong-answer-kind': () => new Failure('invalid-request', 'The question asks for another kind of answer'),
};
