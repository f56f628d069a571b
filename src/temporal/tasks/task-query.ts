import protocol from '@temporalio/proto';
import type { TaskTemporal } from './task-temporal.ts';
import { callTemporal, namespaceOf } from './task-temporal.ts';

const { QueryRejectCondition } = protocol.temporal.api.enums.v1;

/** Answered by a worker; fails as `unavailable` when none has answered in time. A task that has ended gives no result. */
export function queryTaskWorkflow(temporal: TaskTemporal, taskId: string, queryType: string, timeoutMs: number) {
  return callTemporal(
    temporal,
    () =>
      temporal.temporalClient.workflowService.queryWorkflow({
        namespace: namespaceOf(temporal),
        execution: { workflowId: taskId },
        query: { queryType },
        queryRejectCondition: QueryRejectCondition.QUERY_REJECT_CONDITION_NOT_OPEN,
      }),
    timeoutMs,
  );
}
