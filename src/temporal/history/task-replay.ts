import type { HistoryFold } from './history-fold.ts';
import { foldEvent } from './history-fold.ts';
import { readHistory } from './history-page.ts';
import type { TaskCursor } from './task-cursor.ts';
import { parseCursor } from './task-cursor.ts';
import { describeTask } from '../tasks/task-description.ts';
import { isFailure } from '../tasks/task-failures.ts';
import { isWorthTelling, toFollowItem } from './task-follow-item.ts';
import type { TaskTemporal } from '../tasks/task-temporal.ts';
import type { TaskFollowItem } from '../tasks/task-workflows.ts';

/** How a replay came out. */
export type ReplayEnd =
  /** All that is there has been told: what follows is live. */
  | { readonly end: 'live'; readonly covered: Covered }
  | { readonly end: 'closed' }
  /** No history of this task has such an event, or an operator has reset the task since: start from a snapshot. */
  | { readonly end: 'unknown' };

/** What a replay has told: all of the runs, and of the last one up to an event. */
export interface Covered {
  readonly runIds: ReadonlySet<string>;
  readonly last: TaskCursor;
}

/**
 * Tells what the history holds behind a cursor, over continue-as-new: folds silently up to the cursor, and from there on
 * item by item. A closed task always gives the item that closes it, be it with nothing to show.
 */
export async function* replayFrom(
  temporal: TaskTemporal,
  taskId: string,
  after: TaskCursor,
): AsyncGenerator<TaskFollowItem, ReplayEnd> {
  if (!(await leadsToNow(temporal, taskId, after.runId))) return { end: 'unknown' };
  const runIds = new Set<string>();
  let runId = after.runId;
  for (;;) {
    runIds.add(runId);
    let fold: HistoryFold | undefined;
    let isBehind = runId !== after.runId;
    for await (const event of readHistory(temporal, taskId, runId)) {
      const before = fold;
      const folded = await foldEvent(before, runId, event, temporal.payloads);
      if (folded === undefined) continue;
      fold = folded.fold;
      if (isBehind) {
        if (fold.end === 'closed' && !(await isCurrent(temporal, taskId, runId))) return { end: 'unknown' };
        if (isWorthTelling(before, folded)) yield toFollowItem(folded);
      } else if (fold.cursor.eventId === after.eventId && typeof fold.end !== 'object') {
        if (after.index > fold.cursor.index) return { end: 'unknown' };
        isBehind = true;
        if (after.index < fold.cursor.index || fold.end === 'closed') yield toFollowItem(folded, after.index + 1);
      }
    }
    if (fold === undefined || !isBehind) return { end: 'unknown' };
    if (fold.end === 'closed') return { end: 'closed' };
    if (fold.end === undefined) return { end: 'live', covered: { runIds, last: fold.cursor } };
    runId = fold.end.nextRunId;
  }
}

/** Whether a replay has told the item already. */
export function isCovered({ runIds, last }: Covered, item: TaskFollowItem): boolean {
  const cursor = parseCursor(item.cursor);
  if (cursor === undefined || !runIds.has(cursor.runId)) return false;
  return cursor.runId !== last.runId || cursor.eventId <= last.eventId;
}

/** A run that has ended for good and is not the current one was reset: its history is not the task's any more. */
async function leadsToNow(temporal: TaskTemporal, taskId: string, runId: string): Promise<boolean> {
  try {
    const { status } = await describeTask(temporal, taskId, runId);
    return status === 'running' || status === 'continued' || (await isCurrent(temporal, taskId, runId));
  } catch (error) {
    if (isFailure(error, 'task-not-found')) return false;
    throw error;
  }
}

async function isCurrent(temporal: TaskTemporal, taskId: string, runId: string): Promise<boolean> {
  return (await describeTask(temporal, taskId)).runId === runId;
}
