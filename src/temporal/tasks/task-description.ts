import protocol from '@temporalio/proto';
import type { Payload } from '@temporalio/common';
import { Failure } from '../../domain/failure.ts';
import { TASK_WORKFLOW_TYPE } from '../../../workflows/task-contract.ts';
import type { TaskTemporal } from './task-temporal.ts';
import { callTemporal, namespaceOf } from './task-temporal.ts';

const { WorkflowExecutionStatus } = protocol.temporal.api.enums.v1;

export interface TaskDescription {
  readonly runId: string;
  readonly status: 'running' | 'completed' | 'failed' | 'continued' | 'other';
  /** ID of the last event of the history as it is now. */
  readonly lastEventId: number;
  readonly memo: Readonly<Record<string, Payload>>;
}

/** By Temporal's own number. */
export const RUN_STATUS: Readonly<Record<number, TaskDescription['status']>> = {
  [WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING]: 'running',
  [WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_COMPLETED]: 'completed',
  [WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_FAILED]: 'failed',
  [WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW]: 'continued',
};

/**
 * The current run of a task, or the one that is named, as Temporal's own state has it (not its listings).
 * Workflows of other types are no tasks.
 *
 * @throws {Failure} `task-not-found`, `unavailable`
 */
export async function describeTask(temporal: TaskTemporal, taskId: string, runId?: string): Promise<TaskDescription> {
  if (!isPossibleTaskId(taskId)) throw taskNotFound();
  const { workflowExecutionInfo: info } = await callTemporal(temporal, () =>
    temporal.temporalClient.workflowService.describeWorkflowExecution({
      namespace: namespaceOf(temporal),
      execution: { workflowId: taskId, ...(runId !== undefined && { runId }) },
    }),
  );
  if (info?.type?.name !== TASK_WORKFLOW_TYPE) throw taskNotFound();
  return {
    runId: info.execution?.runId ?? '',
    status: RUN_STATUS[info.status ?? 0] ?? 'other',
    lastEventId: info.historyLength?.toNumber() ?? 0,
    memo: info.memo?.fields ?? {},
  };
}

const TASK_ID_CHARACTERS_MAX = 255;

/** Spares Temporal what it would refuse anyway: IDs come from anyone. */
export function isPossibleTaskId(taskId: string): boolean {
  return taskId.length > 0 && taskId.length <= TASK_ID_CHARACTERS_MAX && /^[\x21-\x7e]+$/.test(taskId);
}

export function taskNotFound(): Failure {
  return new Failure('task-not-found', 'Task not found');
}
