import {
  ActivityCancellationType,
  CancellationScope,
  isCancellation,
  proxyActivities,
  sleep,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { KeptEnvelope } from '../src/domain/envelope.ts';
import type { Stage } from '../src/domain/pipeline.ts';
import type { StageOutcome, StageRun, TaskFacts } from '../src/domain/stage-run.ts';

/**
 * A worker that dies costs an attempt, too, but is not the executor's fault: the activity itself counts the executor's
 * failures against the stage's `retries`, and this many lost workers come on top.
 */
const WORKER_LOSSES_MAX = 20;

export interface StageActivity {
  readonly run: StageRun;
  readonly facts: TaskFacts;
  readonly upstream: Readonly<Record<string, KeptEnvelope>>;
  /** What is left of the stage's timeout. */
  readonly timeLeftMs: number | undefined;
  readonly heartbeatTimeoutMs: number;
  readonly graceMs: number;
  readonly summary: string;
}

/** The stage's working time is used up. */
export class DeadlineError extends Error {}

export interface StageActivityResult {
  readonly outcome: StageOutcome;
  /** To be counted against the stage's timeout; an outage of the workers that outlasts it is not. */
  readonly workedMs: number;
}

/**
 * Runs the activity under the stage's deadline.
 * @throws {DeadlineError} once the activity has stopped, or has had its grace to do so
 */
export async function runStageActivity(activity: StageActivity): Promise<StageActivityResult> {
  const scope = new CancellationScope();
  const work = scope.run(() => schedule(activity));
  if (activity.timeLeftMs === undefined) return { outcome: await work, workedMs: 0 };

  const late = { is: false };
  const timer = new CancellationScope();
  const { timeLeftMs, graceMs, summary, heartbeatTimeoutMs } = activity;
  let startedAt = Date.now();
  const deadline = timer.run(async () => {
    for (;;) {
      await sleep(timeLeftMs, { summary: `deadline of ${summary}` });
      const lateByMs = Date.now() - startedAt - timeLeftMs;
      // Heard so late that a worker would be given up: none was there, so the stage did not work, and gets its time again.
      if (lateByMs <= heartbeatTimeoutMs) break;
      startedAt = Date.now();
    }
    late.is = true;
    scope.cancel();
    await sleep(graceMs, { summary: `grace of ${summary}` });
    throw new DeadlineError();
  });
  // A cancelled task stops the clock, but its stage ends only when the activity has.
  const end = deadline.catch((error: unknown) => (isCancellation(error) ? work : Promise.reject(error as Error)));
  try {
    const outcome = await Promise.race([work, end]);
    const workedMs = Date.now() - startedAt;
    // More than there was: the deadline has passed, too, and is only heard of together with the result.
    return { outcome, workedMs: workedMs > timeLeftMs ? 0 : workedMs };
  } catch (error) {
    if (late.is && isCancellation(error)) throw new DeadlineError();
    throw error;
  } finally {
    timer.cancel();
    // The loser of the race has nothing to say any more.
    end.catch(() => undefined);
    work.catch(() => undefined);
  }
}

function schedule({ run, facts, upstream, heartbeatTimeoutMs, summary }: StageActivity): Promise<StageOutcome> {
  const { runStage } = proxyActivities<Activities>({
    startToCloseTimeout: '365 days', // deadlines are the timer's: a retry delay must not eat them
    heartbeatTimeout: heartbeatTimeoutMs,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: {
      initialInterval: '1 second',
      backoffCoefficient: 2,
      maximumInterval: '1 minute',
      maximumAttempts: attemptsMax(run.stage),
    },
    summary,
  });
  return runStage(run, facts, upstream);
}

function attemptsMax(stage: Stage): number {
  return 1 + stage.retries + WORKER_LOSSES_MAX;
}
