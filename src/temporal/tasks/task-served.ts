import { readPollers } from './task-health.ts';
import { queryTaskWorkflow } from './task-query.ts';
import type { TaskTemporal } from './task-temporal.ts';
import type { TaskWorkflows } from './task-workflows.ts';

/** Long enough for a worker that must fetch and replay the history first. */
const ANSWER_MS = 2_000;
/** Every workflow of the SDK answers this one in a few bytes: a large task must not look as if nobody answered for it. */
const SMALL_QUERY = '__temporal_workflow_metadata';

export function createIsServed({ temporal }: { temporal: TaskTemporal }): TaskWorkflows['isServed'] {
  return async function isServed(taskId) {
    if (await isAnswered(temporal, taskId)) return true;
    // Workers that have more to do than they can do at once answer late, too, but they fetch one thing after the other.
    const before = await newestPoll(temporal);
    return (await isAnswered(temporal, taskId)) || (await newestPoll(temporal)) > before;
  };
}

async function isAnswered(temporal: TaskTemporal, taskId: string): Promise<boolean> {
  try {
    await queryTaskWorkflow(temporal, taskId, SMALL_QUERY, ANSWER_MS);
    return true;
  } catch {
    return false;
  }
}

/** When a worker last asked for work, by Temporal's clock; 0 when that cannot be told. */
async function newestPoll(temporal: TaskTemporal): Promise<number> {
  try {
    const pollers = await readPollers(temporal);
    return Math.max(0, ...pollers.map(({ lastPollMs }) => lastPollMs));
  } catch {
    return 0;
  }
}
