import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../../domain/failure.ts';
import type { TaskView } from '../../domain/task-fold.ts';
import type { TaskWorkflows } from './task-workflows.ts';

/** With no worker nothing will move: whoever waits is told how the task stands after this time. */
const FIRST_CHECK_MS = 1_000;
/** While a worker is there, the question is asked this often. */
const NEXT_CHECK_MS = 15_000;

export interface FollowUntil {
  /** Ends the wait. */
  readonly isReached: (view: TaskView, isClosed: boolean) => boolean;
  readonly limitMs: number;
  /** Aborting ends the wait early, never the task. */
  readonly signal: AbortSignal;
  readonly firstCheckMs?: number;
  /** As with `follow`. */
  readonly isNew?: boolean;
}

/**
 * Waits until the task is as wanted, has ended, the limit is over, nobody is there to work on it, or `signal` aborts; and
 * returns it as it then is.
 * @throws {Failure} `task-not-found`; `unavailable` when Temporal does not say how the task stands.
 */
export async function followUntil(
  tasks: Pick<TaskWorkflows, 'follow' | 'isServed'>,
  taskId: string,
  { isReached, limitMs, signal, firstCheckMs = FIRST_CHECK_MS, isNew = false }: FollowUntil,
): Promise<TaskView> {
  const ended = new AbortController();
  const limit = setTimeout(() => ended.abort(), limitMs);
  void endWhenUnserved(tasks, taskId, ended, firstCheckMs);
  let view: TaskView | undefined;
  try {
    for await (const item of tasks.follow(taskId, { signal: AbortSignal.any([signal, ended.signal]), isNew })) {
      view = item.view;
      if (isReached(view, item.isClosed)) break;
    }
  } finally {
    clearTimeout(limit);
    ended.abort();
  }
  if (view === undefined) throw new Failure('unavailable', 'The task cannot be read at the moment');
  return view;
}

async function endWhenUnserved(
  tasks: Pick<TaskWorkflows, 'isServed'>,
  taskId: string,
  ended: AbortController,
  firstCheckMs: number,
): Promise<void> {
  try {
    await delay(firstCheckMs, undefined, { signal: ended.signal });
    while (await tasks.isServed(taskId)) await delay(NEXT_CHECK_MS, undefined, { signal: ended.signal });
    ended.abort();
  } catch {
    // The wait is over.
  }
}
