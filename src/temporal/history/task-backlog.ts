import { describeTask } from '../tasks/task-description.ts';
import { isFailure } from '../tasks/task-failures.ts';
import type { TaskTemporal } from '../tasks/task-temporal.ts';
import type { TaskFollowItem } from '../tasks/task-workflows.ts';
import type { HistoryFold } from './history-fold.ts';
import { foldEvent, foldHistory } from './history-fold.ts';
import { readHistory } from './history-page.ts';
import { parseCursor } from './task-cursor.ts';
import { toSnapshot } from './task-follow-item.ts';
import { replayFrom } from './task-replay.ts';

/** The task as it stood at a cursor; undefined when no history of the task has it any more. */
export async function snapshotAt(
  temporal: TaskTemporal,
  taskId: string,
  cursor: string,
): Promise<TaskFollowItem | undefined> {
  const place = parseCursor(cursor);
  if (place === undefined) return undefined;
  let fold: HistoryFold | undefined;
  try {
    for await (const event of readHistory(temporal, taskId, place.runId)) {
      const folded = await foldEvent(fold, place.runId, event, temporal.payloads);
      if (folded === undefined) continue;
      if (folded.fold.cursor.eventId > place.eventId || typeof folded.fold.end === 'object') break;
      ({ fold } = folded);
    }
  } catch (error) {
    if (isFailure(error, 'task-not-found')) return undefined;
    throw error;
  }
  return fold && toSnapshot(fold);
}

/** All that there is behind a cursor by now, and no waiting for more; from a snapshot when no history has the cursor any more. */
export async function* readBacklog(
  temporal: TaskTemporal,
  taskId: string,
  after: string | undefined,
): AsyncGenerator<TaskFollowItem, void> {
  const cursor = after === undefined ? undefined : parseCursor(after);
  const { end } = cursor ? yield* replayFrom(temporal, taskId, cursor) : { end: 'unknown' };
  if (end !== 'unknown') return;
  const { runId } = await describeTask(temporal, taskId);
  yield toSnapshot(await foldHistory(temporal, taskId, runId));
}
