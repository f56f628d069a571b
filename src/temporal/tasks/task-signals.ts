import { randomUUID } from 'node:crypto';
import { Failure } from '../../domain/failure.ts';
import type { TaskStartMemo } from '../../../workflows/task-contract.ts';
import { messageSignal } from '../../../workflows/task-contract.ts';
import { taskNotFound } from './task-description.ts';
import { isFailure } from './task-failures.ts';
import type { RecentTasks } from './list/recent-tasks.ts';
import type { StartMemos } from './task-start-memo.ts';
import type { TaskTemporal } from './task-temporal.ts';
import { callTemporal, namespaceOf } from './task-temporal.ts';
import type { TaskWorkflows } from './task-workflows.ts';

interface SignalDependencies {
  readonly temporal: TaskTemporal;
  readonly startMemos: StartMemos;
  readonly recent: RecentTasks;
}

export function createSendMessage({ temporal, startMemos, recent }: SignalDependencies): TaskWorkflows['sendMessage'] {
  return async function sendMessage(taskId, signal) {
    recent.add(taskId, await requireTask(startMemos, taskId));
    try {
      await callTemporal(temporal, () =>
        temporal.temporalClient.workflow.getHandle(taskId).signal(messageSignal, signal),
      );
    } catch (error) {
      // The task was there, so what Temporal does not find is a run that takes signals.
      if (!isFailure(error, 'task-not-found')) throw error;
      throw new Failure('unsupported-operation', 'The task has ended and takes no more messages', { cause: error });
    }
  };
}

export function createRequestCancel({
  temporal,
  startMemos,
  recent,
}: SignalDependencies): TaskWorkflows['requestCancel'] {
  return async function requestCancel(taskId) {
    recent.add(taskId, await requireTask(startMemos, taskId));
    try {
      await callTemporal(temporal, () =>
        temporal.temporalClient.workflowService.requestCancelWorkflowExecution({
          namespace: namespaceOf(temporal),
          identity: temporal.temporalClient.options.identity,
          workflowExecution: { workflowId: taskId },
          requestId: randomUUID(),
        }),
      );
    } catch (error) {
      if (!isFailure(error, 'task-not-found')) throw error; // it has ended
    }
  };
}

/** Workflows of other types stand in the same namespace, and are nobody's tasks. */
async function requireTask(startMemos: StartMemos, taskId: string): Promise<TaskStartMemo> {
  const start = await startMemos.get(taskId);
  if (start === undefined) throw taskNotFound();
  return start;
}
