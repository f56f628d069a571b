import { Failure } from '../domain/failure.ts';
import type { TaskView } from '../domain/task-fold.ts';
import type { TaskWorkflows } from './task-workflows.ts';

/** With no worker nothing will move: whoever waits is told how the task stands after this time. */
const WORKERS_CHECK_MS = 5_000;

export interface FollowUntil {
  /** Ends the wait. */
  readonly isReached: (view: TaskView, isClosed: boolean) => boolean;
  readonly limitMs: number;
  /** Aborting ends the wait early, never the task. */
  readonly signal: AbortSignal;
  readonly workersCheckMs?: number;
}

/**
 * Waits until the task is as wanted, has ended, the limit is over, nobody is there to work on it, or `signal` aborts; and
 * returns it as it then is.
 * @throws {Failure} `task-not-found`; `unavailable` when Temporal does not say how the task stands.
 */
export async function followUntil(
  tasks: Pick<TaskWorkflows, 'follow' | 'health'>,
  taskId: string,
  { isReached, limitMs, signal, workersCheckMs = WORKERS_CHECK_MS }: FollowUntil,
): Promise<TaskView> {
  const ended = new AbortController();
  const limit = setTimeout(() => ended.abort(), limitMs);
  const check = setInterval(() => void endWithoutWorkers(tasks, ended), Math.min(workersCheckMs, limitMs));
  let view: TaskView | undefined;
  try {
    for await (const item of tasks.follow(taskId, { signal: AbortSignal.any([signal, ended.signal]) })) {
      view = item.view;
      if (isReached(view, item.isClosed)) break;
    }
  } finally {
    clearTimeout(limit);
    clearInterval(check);
  }
  if (view === undefined) throw new Failure('unavailable', 'The task cannot be read at the moment');
  return view;
}

async function endWithoutWorkers(tasks: Pick<TaskWorkflows, 'health'>, ended: AbortController): Promise<void> {
  try {
    const { isTemporalUp, workers } = await tasks.health();
    if (!isTemporalUp || workers === 0) ended.abort();
  } catch {
    ended.abort(); // not even health can be told: nobody will report a change
  }
}
