import { Failure } from '../domain/failure.ts';
import { type Owner, ownerKey } from '../domain/owner.ts';
import type { TaskWorkflows } from '../temporal/tasks/task-workflows.ts';

/** Longer than any task's ID; Temporal would refuse it with an error that tells tasks from what is none. */
const TASK_ID_LENGTH_MAX = 255;

/** Another caller's task is like one that does not exist, in every byte. */
function taskNotFound(): Failure {
  return new Failure('task-not-found', 'Task not found');
}

/** @throws {Failure} `task-not-found` unless it is the caller's own task, of the tenant that it has named */
export async function requireOwnTask(
  tasks: Pick<TaskWorkflows, 'startMemo'>,
  taskId: string,
  owner: Owner,
): Promise<{ readonly contextId: string; readonly publication: string }> {
  if (taskId === '' || taskId.length > TASK_ID_LENGTH_MAX || /[^\x20-\x7e]/.test(taskId)) throw taskNotFound();
  const memo = await tasks.startMemo(taskId);
  if (memo === undefined || ownerKey(memo) !== ownerKey(owner)) throw taskNotFound();
  return memo;
}
