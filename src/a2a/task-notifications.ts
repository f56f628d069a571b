import type { StreamResponse, Task } from '../domain/a2a.ts';
import type { PushPlace } from '../domain/push-round.ts';
import type { TaskFollowItem, TaskWorkflows } from '../temporal/tasks/task-workflows.ts';
import type { TaskProjection } from './project-task.ts';
import { streamTask } from './stream-task.ts';

/** What a webhook is sent. */
export interface TaskNotification {
  readonly event: StreamResponse;
  /** Set where the next one may be begun with, should this be the last one that was taken. */
  readonly cursor?: string;
  /** The task as it is after the event. */
  readonly task: Task;
}

/** True at the end: the task has ended, and all has been told. False: that is all for now. */
export type ReadNotifications = (
  taskId: string,
  place: PushPlace,
  options: { readonly isLive: boolean; readonly signal: AbortSignal },
) => AsyncGenerator<TaskNotification, boolean, undefined>;

export interface NotificationSources {
  readonly follow: TaskWorkflows['follow'];
  /** What there is by now; no waiting. */
  readonly backlog: (taskId: string, after: string | undefined) => AsyncIterable<TaskFollowItem>;
  readonly snapshotAt: (taskId: string, cursor: string) => Promise<TaskFollowItem | undefined>;
  readonly projection: TaskProjection;
}

/** The notifications of a task are what its streams show, from the same source: first the task, then what happens to it. */
export function createReadNotifications(sources: NotificationSources): ReadNotifications {
  const { follow, backlog, snapshotAt, projection } = sources;
  return async function* readNotifications(taskId, { at, hasBegun }, { isLive, signal }) {
    let last: TaskFollowItem | undefined;
    async function* items(): AsyncGenerator<TaskFollowItem, void, undefined> {
      const first = hasBegun ? undefined : await snapshotAt(taskId, at);
      if (first !== undefined) yield first;
      if (first?.isClosed === true) return;
      const after = hasBegun || first !== undefined ? at : undefined;
      yield* isLive ? follow(taskId, { ...(after !== undefined && { after }), signal }) : backlog(taskId, after);
    }
    async function* noted(): AsyncGenerator<TaskFollowItem, void, undefined> {
      for await (const item of items()) {
        last = item;
        yield item;
      }
    }
    const frames = streamTask({ tasks: { follow: noted }, projection }, taskId, { isOver: () => false, signal });
    for await (const { event, cursor } of frames) {
      if (event === undefined || last === undefined) continue;
      yield { event, ...(cursor !== undefined && { cursor }), task: projection.task(last.view) };
    }
    return last?.isClosed ?? false;
  };
}
