import { setTimeout as delay } from 'node:timers/promises';
import type { Client, Connection } from '@temporalio/client';
import type { ProgressSignal } from '../../domain/task-log.ts';
import { progressSignal } from '../../../workflows/task-contract.ts';
import { withDeadline } from '../connection.ts';
import { isFailure, isOutOfSignals, toTaskFailure } from './task-failures.ts';

/** The run that an activity works for. A reset task goes on in another, which the activity of the old one must not reach. */
export interface TaskRun {
  readonly workflowId: string;
  readonly runId: string;
}

/**
 * Signals progress to the task. Waits for Temporal for as long as `signal` lets it; returns also when nobody takes the
 * progress any more, because the run has ended or has had all the signals that it may have.
 *
 * @throws {Failure} `payload-too-large`
 * @throws the signal's reason when it aborts
 */
export type SendProgress = (run: TaskRun, progress: ProgressSignal, signal?: AbortSignal) => Promise<void>;

const ATTEMPT_TIMEOUT_MS = 5_000;
const RETRY_MIN_MS = 200;
const RETRY_MAX_MS = 5_000;

export function createProgressSender(dependencies: { connection: Connection; temporalClient: Client }): SendProgress {
  const { connection, temporalClient } = dependencies;
  return async function sendProgress({ workflowId, runId }, progress, signal) {
    const handle = temporalClient.workflow.getHandle(workflowId, runId);
    for (let retryMs = RETRY_MIN_MS; ; retryMs = Math.min(retryMs * 2, RETRY_MAX_MS)) {
      signal?.throwIfAborted();
      try {
        await withDeadline(connection, ATTEMPT_TIMEOUT_MS, () => handle.signal(progressSignal, progress));
        return;
      } catch (error) {
        const failure = toTaskFailure(error);
        if (isFailure(failure, 'task-not-found') || isOutOfSignals(failure)) return;
        if (!isFailure(failure, 'unavailable') && !isFailure(failure, 'busy')) throw failure;
      }
      await delay(retryMs, undefined, signal && { signal });
    }
  };
}
