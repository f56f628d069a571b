import { Context } from '@temporalio/activity';
import { startHeartbeat } from './heartbeat.ts';
import { toApplicationFailure, viewFailure } from './to-application-failure.ts';

/** Does for a workflow what is too large for it. A failure reads as that of the stage which it is done for. */
export async function helpWorkflow<Result>(work: () => Promise<Result>): Promise<Result> {
  using _heartbeat = startHeartbeat(Context.current());
  try {
    return await work();
  } catch (error) {
    const failure = viewFailure(error);
    throw toApplicationFailure(failure, failure.retryable);
  }
}
