import type { StreamResponse } from '../domain/a2a.ts';
import type { TaskView } from '../domain/task-fold.ts';
import { isTerminal } from '../domain/task-state.ts';
import type { ShownEvent, TaskFollowItem, TaskWorkflows } from '../temporal/tasks/task-workflows.ts';
import type { TaskProjection } from './project-task.ts';
import { snapshotFrames, type StreamFrame } from './stream-frame.ts';

export interface StreamTaskOptions {
  /** Cursor that the reader had come to. */
  readonly after?: string;
  readonly historyLength?: number | undefined;
  /** As with `follow`. */
  readonly isNew?: boolean;
  /** Throws when a stream may not begin with this task. */
  readonly checkSnapshot?: (view: TaskView) => void;
  readonly isOver: (view: TaskView) => boolean;
  readonly signal: AbortSignal;
}

/**
 * A task's life as its caller sees it: the task first, then what happens to it. A task that answers with a Message is that
 * Message alone, if it is there before anything was shown; later it is the last status's message, as a stream may not mix both
 * (A2A 1.0 §3.1.2).
 */
export async function* streamTask(
  { tasks, projection }: { tasks: Pick<TaskWorkflows, 'follow'>; projection: TaskProjection },
  taskId: string,
  { after, historyLength, isNew = false, checkSnapshot, isOver, signal }: StreamTaskOptions,
): AsyncGenerator<StreamFrame, void, undefined> {
  let hasBegun = false;
  for await (const item of tasks.follow(taskId, { ...(after !== undefined && { after }), isNew, signal })) {
    if (item.isSnapshot) {
      checkSnapshot?.(item.view);
      yield* toSnapshot(item);
    } else {
      const frames = item.shown.flatMap((shown) => toFrame(shown, item.view));
      if (frames.length === 0 && !hasBegun) yield {};
      yield* frames;
    }
    hasBegun = true;
    if (item.isClosed || isOver(item.view)) return;
  }

  function toSnapshot({ view, cursor }: TaskFollowItem): readonly StreamFrame[] {
    if (view.reply !== undefined) return [{ event: { message: view.reply }, cursor }];
    return snapshotFrames(projection.task(view, historyLength), cursor);
  }

  function toFrame({ event, cursor }: ShownEvent, view: TaskView): readonly StreamFrame[] {
    if ('message' in event) return [];
    return [{ event: withReply(projection.event(event, historyLength), view), cursor }];
  }
}

function withReply(event: StreamResponse, { reply }: TaskView): StreamResponse {
  if (reply === undefined || !('statusUpdate' in event)) return event;
  const { status } = event.statusUpdate;
  if (!isTerminal(status.state) || status.message !== undefined) return event;
  return { statusUpdate: { ...event.statusUpdate, status: { ...status, message: reply } } };
}
