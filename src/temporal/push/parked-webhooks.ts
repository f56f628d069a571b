import {
  PUSH_DELIVERY_WORKFLOW_TYPE,
  PUSH_STATE,
  type PushDeliveryMemo,
} from '../../../workflows/push-delivery-contract.ts';
import { SEARCH_ATTRIBUTES } from '../../../workflows/task-contract.ts';
import { callTemporal, namespaceOf, type TaskTemporal } from '../tasks/task-temporal.ts';

/** A webhook that gets nothing more, until somebody wants it to be tried again. */
export interface ParkedWebhook {
  readonly taskId: string;
  readonly configId: string;
  readonly host: string;
  /** Of the last failure. */
  readonly reason: string;
  /** In a row. */
  readonly failures: number;
  readonly delivered: number;
  /** ISO 8601, UTC. */
  readonly parkedAt: string;
}

const QUERY =
  `WorkflowType = '${PUSH_DELIVERY_WORKFLOW_TYPE}' AND ExecutionStatus = 'Running' ` +
  `AND ${SEARCH_ATTRIBUTES.state} = '${PUSH_STATE.parked}'`;
const PAGE_SIZE = 500;
/** Of tasks: what is behind this comes up as others are dealt with. */
const TASKS_MAX = 5_000;

/** The oldest first. */
export async function listParked(temporal: TaskTemporal): Promise<readonly ParkedWebhook[]> {
  const parked: ParkedWebhook[] = [];
  let nextPageToken: Uint8Array | undefined;
  let count = 0;
  do {
    const page = await callTemporal(temporal, () =>
      temporal.temporalClient.workflowService.listWorkflowExecutions({
        namespace: namespaceOf(temporal),
        query: QUERY,
        pageSize: PAGE_SIZE,
        ...(nextPageToken && { nextPageToken }),
      }),
    );
    for (const { memo } of page.executions) {
      parked.push(...toParked(await temporal.payloads.decodeFields(memo?.fields)));
    }
    count += page.executions.length;
    nextPageToken = page.nextPageToken.length > 0 ? page.nextPageToken : undefined;
  } while (nextPageToken !== undefined && count < TASKS_MAX);
  return parked.sort((a, b) => a.parkedAt.localeCompare(b.parkedAt));
}

function toParked({ taskId = '', webhooks = [] }: Partial<PushDeliveryMemo>): readonly ParkedWebhook[] {
  return webhooks
    .filter(({ state }) => state === 'parked')
    .map(({ id, host, reason = '', failures, delivered, parkedAt = '' }) => ({
      taskId,
      configId: id,
      host,
      reason,
      failures,
      delivered,
      parkedAt,
    }));
}
