import type { Task } from '../../domain/a2a.ts';
import type { TaskWorkflows } from '../../temporal/tasks/task-workflows.ts';
import type { Call } from '../call.ts';
import { requireOwnTask } from '../own-task.ts';
import type { TaskProjection } from '../project-task.ts';
import type { GetTaskRequest } from '../requests.ts';

/** A task that has ended changes only when an operator resets it: who polls one need not make Temporal look each time. */
const MAX_AGE_MS = 1_000;

/** A2A 1.0 §3.1.3. */
export function createGetTask({ tasks, projection }: { tasks: TaskWorkflows; projection: TaskProjection }) {
  return async function getTask({ id, historyLength }: GetTaskRequest, call: Call): Promise<Task> {
    await requireOwnTask(tasks, id, call);
    return projection.task(await tasks.read(id, { maxAgeMs: MAX_AGE_MS }), historyLength);
  };
}
