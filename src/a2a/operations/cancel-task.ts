import type { Task } from '../../domain/a2a.ts';
import { Failure } from '../../domain/failure.ts';
import type { TaskView } from '../../domain/task-fold.ts';
import { isTerminal } from '../../domain/task-state.ts';
import { followUntil } from '../../temporal/tasks/follow-until.ts';
import type { TaskWorkflows } from '../../temporal/tasks/task-workflows.ts';
import type { Call } from '../call.ts';
import { requireOwnTask } from '../own-task.ts';
import type { TaskProjection } from '../project-task.ts';
import type { TaskRequest } from '../requests.ts';

/** Work that takes longer to stop is told as it stands: the cancel goes on. */
const CANCEL_LIMIT_MS = 15_000;

/** A2A 1.0 §3.1.5. A task that ended otherwise, also in the race with the cancel, cannot be canceled. */
export function createCancelTask({ tasks, projection }: { tasks: TaskWorkflows; projection: TaskProjection }) {
  return async function cancelTask({ id }: TaskRequest, call: Call): Promise<Task> {
    await requireOwnTask(tasks, id, call);
    const before = await tasks.read(id);
    if (isTerminal(before.task.status.state)) throw notCancelable(before);
    await tasks.requestCancel(id);
    const after = await followUntil(tasks, id, {
      isReached: ({ task }) => isTerminal(task.status.state),
      limitMs: CANCEL_LIMIT_MS,
      signal: call.signal,
    });
    const { state } = after.task.status;
    if (isTerminal(state) && state !== 'TASK_STATE_CANCELED') throw notCancelable(after);
    return projection.task(after);
  };
}

function notCancelable({ task }: TaskView): Failure {
  return new Failure('task-not-cancelable', `The task has ended (${task.status.state}) and cannot be canceled`);
}
