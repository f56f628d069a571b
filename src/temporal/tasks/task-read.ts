import type { TaskView } from '../../domain/task-fold.ts';
import { getTaskQuery } from '../../../workflows/task-contract.ts';
import { foldHistory } from '../history/history-fold.ts';
import type { ClosedTasks } from './task-closed.ts';
import { describeTask, isPossibleTaskId, taskNotFound } from './task-description.ts';
import { isFailure } from './task-failures.ts';
import type { TaskTemporal } from './task-temporal.ts';
import { queryTaskWorkflow } from './task-query.ts';
import type { TaskWorkflows } from './task-workflows.ts';

/** A worker answers within a few; with none the query would hang, and the history tells as much. */
const QUERY_TIMEOUT_MS = 300;
/** After a query that nobody answered, histories are read straight away for so long. */
const QUERY_PAUSE_MS = 1_000;

export function createRead({
  temporal,
  closedTasks,
}: {
  temporal: TaskTemporal;
  closedTasks: ClosedTasks;
}): TaskWorkflows['read'] {
  let queriesPausedUntil = 0;

  return async function read(taskId, { maxAgeMs = 0 } = {}) {
    if (!isPossibleTaskId(taskId)) throw taskNotFound();
    const current = closedTasks.current(taskId, maxAgeMs);
    if (current !== undefined) return current.view;
    if (!closedTasks.has(taskId) && Date.now() >= queriesPausedUntil) {
      try {
        const view = await queryTask(temporal, taskId);
        if (view !== undefined) return view;
      } catch (error) {
        if (isFailure(error, 'task-not-found')) throw error;
        if (isFailure(error, 'unavailable')) queriesPausedUntil = Date.now() + QUERY_PAUSE_MS;
      }
    }
    const run = await describeTask(temporal, taskId);
    if (run.status !== 'running') return (await closedTasks.readCurrent(taskId, run)).view;
    return (await foldHistory(temporal, taskId, run.runId)).view;
  };
}

/** Undefined when the task has ended: a worker would have to replay it. */
async function queryTask(temporal: TaskTemporal, taskId: string): Promise<TaskView | undefined> {
  const { queryResult } = await queryTaskWorkflow(temporal, taskId, getTaskQuery.name, QUERY_TIMEOUT_MS);
  return (await temporal.payloads.decodeFirst(queryResult?.payloads)) as TaskView | undefined;
}
