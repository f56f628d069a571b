import type { ListCursors } from '../../contract/list-cursor.ts';
import type { ListTasksRequest } from '../../contract/list-request.ts';
import type { Task } from '../../domain/a2a.ts';
import type { TaskWorkflows } from '../../temporal/tasks/task-workflows.ts';
import type { Call } from '../call.ts';
import type { TaskProjection } from '../project-task.ts';

export interface ListTasksResponse {
  readonly tasks: readonly Task[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
}

/** A2A 1.0 §3.1.4: the caller's tasks, the newest status first. */
export function createListTasks({
  tasks,
  projection,
  cursors,
}: {
  tasks: Pick<TaskWorkflows, 'list'>;
  projection: TaskProjection;
  cursors: ListCursors;
}) {
  return async function listTasks(request: ListTasksRequest, { caller, tenant }: Call): Promise<ListTasksResponse> {
    const { contextId, status, statusTimestampAfter, pageSize, pageToken, historyLength, includeArtifacts } = request;
    const filter = {
      owner: { caller, ...(tenant !== undefined && { tenant }) },
      ...(contextId !== undefined && { contextId }),
      ...(status !== undefined && { state: status }),
      ...(statusTimestampAfter !== undefined && { since: statusTimestampAfter }),
    };
    const page = await tasks.list({
      ...filter,
      limit: pageSize,
      ...(pageToken !== undefined && { after: cursors.decode(pageToken, filter) }),
    });
    return {
      tasks: page.tasks.map((view) => {
        const { artifacts, ...task } = projection.task(view, historyLength);
        return includeArtifacts && artifacts !== undefined ? { ...task, artifacts } : task;
      }),
      nextPageToken: page.next === undefined ? '' : cursors.encode(page.next, filter),
      pageSize,
      totalSize: page.total,
    };
  };
}
