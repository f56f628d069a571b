import { createHash } from 'node:crypto';
import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
} from '@temporalio/common';
import { Failure } from '../../domain/failure.ts';
import type { HistoryTails } from '../history/history-tails.ts';
import type { TaskInput, TaskMemo, TaskStartMemo } from '../../../workflows/task-contract.ts';
import { TASK_WORKFLOW_TYPE } from '../../../workflows/task-contract.ts';
import { isPossibleTaskId } from './task-description.ts';
import { toTaskFailure } from './task-failures.ts';
import { startSearchAttributes } from './task-search-attributes.ts';
import type { RecentTasks } from './list/recent-tasks.ts';
import type { StartMemos } from './task-start-memo.ts';
import { taskSummary } from './task-summary.ts';
import type { TaskTemporal } from './task-temporal.ts';
import { callTemporal } from './task-temporal.ts';
import type { TaskWorkflows } from './task-workflows.ts';

const FAIRNESS_KEY_BYTES_MAX = 64;

export function createStart({
  temporal,
  startMemos,
  recent,
  tails,
}: {
  temporal: TaskTemporal;
  startMemos: StartMemos;
  recent: RecentTasks;
  tails: Pick<HistoryTails, 'expect'>;
}): TaskWorkflows['start'] {
  return async function start(input, memo) {
    if (!isPossibleTaskId(input.taskId)) throw new Failure('invalid-request', 'The task ID cannot be used');
    try {
      tails.expect(input, await startWorkflow(temporal, input, memo));
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      const first = await startMemos.get(input.taskId);
      // It was there a moment ago: Temporal has just deleted what had ended long before.
      if (first === undefined)
        throw new Failure('unavailable', 'Please try again', { cause: error, retryAfterSeconds: 1 });
      return { isNew: false, memo: first };
    }
    startMemos.set(input.taskId, memo);
    recent.add(input.taskId, input);
    return { isNew: true, memo };
  };
}

/** The ID of the run. */
async function startWorkflow(temporal: TaskTemporal, input: TaskInput, start: TaskStartMemo): Promise<string> {
  const { temporalClient, eagerStartClient, taskQueue } = temporal;
  const memo: TaskMemo = { start, status: { state: 'TASK_STATE_SUBMITTED', timestamp: input.submittedAt } };
  const call = () =>
    (eagerStartClient ?? temporalClient).workflow.start(TASK_WORKFLOW_TYPE, {
      workflowId: input.taskId,
      taskQueue,
      args: [input],
      // Once for its ID ever. Running or closed, the task that is there answers for this start, too.
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
      requestEagerStart: eagerStartClient !== undefined,
      memo: { ...memo },
      typedSearchAttributes: startSearchAttributes(input),
      staticSummary: taskSummary(input),
      priority: { fairnessKey: fairnessKey(input.caller) },
    });
  const handle = await (eagerStartClient
    ? temporal.lane.run(() => withinTime(call, temporal.callTimeoutMs))
    : callTemporal(temporal, call));
  return handle.firstExecutionRunId;
}

/**
 * The native client heeds neither abort signals nor, in time, deadlines. A start that is given up here may still happen;
 * who sends the same again is then told that it has.
 */
async function withinTime<T>(call: () => Promise<T>, timeoutMs: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(notInTime()), timeoutMs);
  try {
    return await Promise.race([call(), late.promise]);
  } catch (error) {
    throw toTaskFailure(error);
  } finally {
    clearTimeout(timer);
  }
}

function notInTime(): Failure {
  return new Failure('unavailable', 'The service is not available for the moment', { retryAfterSeconds: 1 });
}

function fairnessKey(caller: string): string {
  if (Buffer.byteLength(caller) <= FAIRNESS_KEY_BYTES_MAX) return caller;
  return createHash('sha256').update(caller).digest('hex');
}
