import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { AwaitTaskTurn } from '../src/domain/push-round.ts';
import type { PushDependencies } from './dependencies.ts';

/** What it waits for is an operator's hand: seldom, and nobody stands by. */
const POLL_MS = 300_000;

/** Infrequent polling: fails until there is something to say, and Temporal tries it again without writing history. */
export function createAwaitTaskTurn({ openRun }: Pick<PushDependencies, 'openRun'>): AwaitTaskTurn {
  return async function awaitTaskTurn(taskId) {
    const activity = Context.current();
    const run = await openRun(taskId);
    if (run === undefined) return 'ended';
    const before: unknown = activity.info.heartbeatDetails;
    if (typeof before === 'string' && before !== run.runId) return 'moved';
    activity.heartbeat(run.runId);
    throw ApplicationFailure.create({
      message: 'The task goes on',
      type: 'TaskGoesOn',
      nextRetryDelay: POLL_MS,
      category: 'BENIGN',
    });
  };
}
