import protocol, { type temporal as proto } from '@temporalio/proto';
import type { TaskState } from '../../../domain/a2a.ts';
import { isTerminal } from '../../../domain/task-state.ts';
import type { TaskMemo } from '../../../../workflows/task-contract.ts';
import type { PayloadDecoder } from '../../data-converter.ts';
import { type Owner, ownerKey } from '../../../domain/owner.ts';
import { RUN_STATUS, type TaskDescription } from '../task-description.ts';

const { WorkflowExecutionStatus } = protocol.temporal.api.enums.v1;

/** A task as Temporal's visibility has it: a moment old, and cheap. */
export interface ListedTask {
  readonly taskId: string;
  readonly runId: string;
  readonly runStatus: TaskDescription['status'];
  /** By an operator, or by time: the workflow itself had no say. */
  readonly isCutOff: boolean;
  readonly state: TaskState;
  /** Of the status, milliseconds since 1970. */
  readonly at: number;
  /** Milliseconds since 1970; absent while it runs. */
  readonly closedAt?: number;
}

type Row = proto.api.workflow.v1.IWorkflowExecutionInfo;

/** Undefined for a row that is no task of this owner: attributes are cut, the memo is not. */
export async function toListedTask(row: Row, owner: Owner, payloads: PayloadDecoder): Promise<ListedTask | undefined> {
  const { start, status } = (await payloads.decodeFields(
    Object.fromEntries(
      Object.entries(row.memo?.fields ?? {}).filter(([name]) => name === 'start' || name === 'status'),
    ),
  )) as Partial<TaskMemo>;
  const { workflowId, runId } = row.execution ?? {};
  if (!workflowId || !runId || !status || start === undefined || ownerKey(start) !== ownerKey(owner)) return undefined;
  const runStatus = RUN_STATUS[row.status ?? 0] ?? 'other';
  const closedAt = runStatus === 'running' ? undefined : millisecondsOf(row.closeTime);
  const isCutOff = CUT_OFF.includes(row.status ?? 0);
  const at = Date.parse(status.timestamp);
  // A run that closed before its task had ended ends the task: see the fold of the close event.
  const endedByClose = closedAt !== undefined && !isTerminal(status.state);
  return {
    taskId: workflowId,
    runId,
    runStatus,
    isCutOff,
    state: endedByClose ? 'TASK_STATE_FAILED' : status.state,
    at: endedByClose ? closedAt : at,
    ...(closedAt !== undefined && { closedAt }),
  };
}

const CUT_OFF: readonly number[] = [
  WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_TERMINATED,
  WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_TIMED_OUT,
];

function millisecondsOf(time: Row['closeTime']): number {
  return (time?.seconds?.toNumber() ?? 0) * 1_000 + Math.floor((time?.nanos ?? 0) / 1e6);
}
