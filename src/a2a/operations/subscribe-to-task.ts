import { Failure } from '../../domain/failure.ts';
import { isTerminal } from '../../domain/task-state.ts';
import type { TaskWorkflows } from '../../temporal/tasks/task-workflows.ts';
import type { Call } from '../call.ts';
import { requireOwnTask } from '../own-task.ts';
import type { TaskProjection } from '../project-task.ts';
import type { TaskRequest } from '../requests.ts';
import type { StreamFrame } from '../stream-frame.ts';
import { streamTask } from '../stream-task.ts';

/**
 * A2A 1.0 §3.1.6: the task, then everything up to its end, questions included. With the ID of an event that it has seen, a
 * subscriber gets exactly what came after, also from a task that has ended since; without one there is nothing to subscribe
 * to in a task that has ended.
 */
export function createSubscribeToTask({ tasks, projection }: { tasks: TaskWorkflows; projection: TaskProjection }) {
  return async function* subscribeToTask(
    { id }: TaskRequest,
    call: Call,
  ): AsyncGenerator<StreamFrame, void, undefined> {
    await requireOwnTask(tasks, id, call);
    yield* streamTask({ tasks, projection }, id, {
      ...(call.lastEventId !== undefined && { after: call.lastEventId }),
      checkSnapshot({ task }) {
        if (!isTerminal(task.status.state)) return;
        throw new Failure('unsupported-operation', 'The task has ended: there is nothing to subscribe to');
      },
      isOver: ({ task }) => isTerminal(task.status.state),
      signal: call.signal,
    });
  };
}
