import type { Client, Connection } from '@temporalio/client';
import type { Webhook } from '../../domain/webhook.ts';
import { CallLane } from '../call-lane.ts';
import type { PayloadDecoder } from '../data-converter.ts';
import { readBacklog, snapshotAt } from '../history/task-backlog.ts';
import { createTaskWorkflows } from '../tasks/create-task-workflows.ts';
import { describeTask } from '../tasks/task-description.ts';
import { isFailure } from '../tasks/task-failures.ts';
import type { TaskTemporal } from '../tasks/task-temporal.ts';
import type { TaskFollowItem, TaskWorkflows } from '../tasks/task-workflows.ts';
import { readWebhooks } from './read-webhooks.ts';

/** What who delivers push notifications asks of Temporal. */
export interface TaskEvents {
  readonly follow: TaskWorkflows['follow'];
  /** What there is behind a cursor by now. */
  readonly backlog: (taskId: string, after: string | undefined) => AsyncIterable<TaskFollowItem>;
  readonly snapshotAt: (taskId: string, cursor: string) => Promise<TaskFollowItem | undefined>;
  readonly webhooksOf: (taskId: string) => Promise<readonly Webhook[]>;
  /** The task's current run, as long as it goes on. */
  readonly openRun: (taskId: string) => Promise<{ readonly runId: string } | undefined>;
}

const CALL_TIMEOUT_MS = 10_000;
/** One for each round that a worker may have at the same time. */
const POLLS_MAX = 400;

export function createTaskEvents(dependencies: {
  readonly connection: Connection;
  readonly temporalClient: Client;
  readonly taskQueue: string;
  readonly payloads: PayloadDecoder;
}): TaskEvents {
  const temporal: TaskTemporal = {
    ...dependencies,
    callTimeoutMs: CALL_TIMEOUT_MS,
    lane: new CallLane({ size: 32, waitMs: 60_000 }),
  };
  const tasks = createTaskWorkflows({ ...dependencies, callTimeoutMs: CALL_TIMEOUT_MS, pollsMax: POLLS_MAX });
  return {
    follow: (taskId, options) => tasks.follow(taskId, options),
    backlog: (taskId, after) => readBacklog(temporal, taskId, after),
    snapshotAt: (taskId, cursor) => snapshotAt(temporal, taskId, cursor),
    webhooksOf: (taskId) => readWebhooks(temporal, taskId),
    openRun: async (taskId) => {
      try {
        const { status, runId } = await describeTask(temporal, taskId);
        return status === 'running' ? { runId } : undefined;
      } catch (error) {
        if (isFailure(error, 'task-not-found')) return undefined;
        throw error;
      }
    },
  };
}
