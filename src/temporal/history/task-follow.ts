import { setTimeout as delay } from 'node:timers/promises';
import type { HistoryTails } from './history-tails.ts';
import type { TaskCursor } from './task-cursor.ts';
import { parseCursor } from './task-cursor.ts';
import { isFailure } from '../tasks/task-failures.ts';
import type { Covered, ReplayEnd } from './task-replay.ts';
import { isCovered, replayFrom } from './task-replay.ts';
import type { TaskTemporal } from '../tasks/task-temporal.ts';
import type { FollowOptions, TaskFollowItem, TaskWorkflows } from '../tasks/task-workflows.ts';

const RETRY_MS = 500;

export function createFollow({
  temporal,
  tails,
  onClosed,
}: {
  temporal: TaskTemporal;
  tails: HistoryTails;
  /** Told before the follower is. */
  onClosed: (taskId: string) => Promise<void>;
}): TaskWorkflows['follow'] {
  return async function* follow(taskId, options) {
    for await (const item of items(taskId, options)) {
      if (item.isClosed) await onClosed(taskId);
      yield item;
    }
  };

  async function* items(
    taskId: string,
    { after, signal, isNew = false }: FollowOptions,
  ): AsyncGenerator<TaskFollowItem, void, undefined> {
    try {
      using subscription = await tails.join(taskId, signal, { isNew });
      const cursor = after === undefined ? undefined : parseCursor(after);
      const replayed: ReplayEnd = cursor ? yield* replay(temporal, taskId, cursor, signal) : { end: 'unknown' };
      if (signal.aborted || replayed.end === 'closed') return;

      if (replayed.end === 'unknown') {
        yield subscription.snapshot;
        if (subscription.snapshot.isClosed) return;
      }
      // Nothing may happen for days: a follower is told at once that it has missed nothing more.
      if (replayed.end === 'live') yield { ...subscription.snapshot, isSnapshot: false };
      const live = subscription.queue.drain(signal);
      yield* replayed.end === 'live' ? withoutCovered(live, replayed.covered) : live;
    } catch (error) {
      // Who aborts has heard enough.
      if (!signal.aborted) throw error;
    }
  }
}

/** A replay that goes on where it was when Temporal goes away in the middle; its first read may fail. */
async function* replay(
  temporal: TaskTemporal,
  taskId: string,
  after: TaskCursor,
  signal: AbortSignal,
): AsyncGenerator<TaskFollowItem, ReplayEnd> {
  let from = after;
  for (;;) {
    try {
      const items = replayFrom(temporal, taskId, from);
      for (let next = await items.next(); !signal.aborted; next = await items.next()) {
        if (next.done) return next.value;
        from = parseCursor(next.value.cursor) ?? from;
        yield next.value;
      }
      return { end: 'unknown' };
    } catch (error) {
      if (from === after || !isFailure(error, 'unavailable')) throw error;
      await delay(RETRY_MS, undefined, { signal });
    }
  }
}

async function* withoutCovered(
  live: AsyncIterable<TaskFollowItem>,
  covered: Covered,
): AsyncGenerator<TaskFollowItem, void> {
  let isNew = false;
  for await (const item of live) {
    isNew ||= !isCovered(covered, item);
    if (isNew) yield item;
  }
}
