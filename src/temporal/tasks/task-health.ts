import protocol from '@temporalio/proto';
import type { temporal as proto } from '@temporalio/proto';
import type { TaskTemporal } from './task-temporal.ts';
import { callTemporal, namespaceOf } from './task-temporal.ts';
import type { TaskWorkflows } from './task-workflows.ts';

const { TaskQueueType } = protocol.temporal.api.enums.v1;

const HEALTH_TIMEOUT_MS = 2_000;
/** A poll lasts a minute, and Temporal remembers pollers for longer: one that has not come back since is gone. */
const POLLER_AGE_MAX_MS = 75_000;

export function createHealth(temporal: TaskTemporal): TaskWorkflows['health'] {
  return async function health() {
    try {
      const [forWorkflows, forActivities] = await Promise.all([
        countPollers(temporal, TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW),
        countPollers(temporal, TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY),
      ]);
      // A task needs both.
      return { isTemporalUp: true, workers: Math.min(forWorkflows, forActivities) };
    } catch {
      return { isTemporalUp: false, workers: 0 };
    }
  };
}

async function countPollers(temporal: TaskTemporal, taskQueueType: proto.api.enums.v1.TaskQueueType): Promise<number> {
  const since = Date.now() - POLLER_AGE_MAX_MS;
  const present = (await readPollersOf(temporal, taskQueueType)).filter(({ lastPollMs }) => lastPollMs >= since);
  return new Set(present.map(({ identity }) => identity)).size;
}

interface Poller {
  readonly identity: string;
  /** When it last asked for work: Unix time by Temporal's clock. */
  readonly lastPollMs: number;
}

/** Who asks for workflow tasks. @throws {Failure} `unavailable` */
export function readPollers(temporal: TaskTemporal): Promise<readonly Poller[]> {
  return readPollersOf(temporal, TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW);
}

async function readPollersOf(
  temporal: TaskTemporal,
  taskQueueType: proto.api.enums.v1.TaskQueueType,
): Promise<readonly Poller[]> {
  const { pollers } = await callTemporal(
    temporal,
    () =>
      temporal.temporalClient.workflowService.describeTaskQueue({
        namespace: namespaceOf(temporal),
        taskQueue: { name: temporal.taskQueue },
        taskQueueType,
      }),
    HEALTH_TIMEOUT_MS,
  );
  return pollers.map(({ identity, lastAccessTime }) => ({
    identity: identity ?? '',
    lastPollMs: (lastAccessTime?.seconds?.toNumber() ?? 0) * 1000 + (lastAccessTime?.nanos ?? 0) / 1e6,
  }));
}
