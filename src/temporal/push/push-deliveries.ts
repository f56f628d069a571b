import { randomUUID } from 'node:crypto';
import type { Client, Connection } from '@temporalio/client';
import type { Webhook, WebhookChange } from '../../domain/webhook.ts';
import {
  PUSH_DELIVERY_WORKFLOW_TYPE,
  type PushDeliveryInput,
  pushDeliveryId,
  type PushDeliveryMemo,
  type PushLimits,
  retryParkedSignal,
  type WebhookBrief,
  webhookChangeSignal,
} from '../../../workflows/push-delivery-contract.ts';
import { CallLane } from '../call-lane.ts';
import type { PayloadDecoder } from '../data-converter.ts';
import { formatCursor } from '../history/task-cursor.ts';
import { isPossibleTaskId, taskNotFound } from '../tasks/task-description.ts';
import { isFailure } from '../tasks/task-failures.ts';
import { callTemporal, namespaceOf, type TaskTemporal } from '../tasks/task-temporal.ts';
import { listParked, type ParkedWebhook } from './parked-webhooks.ts';
import { readWebhooks } from './read-webhooks.ts';

/** What the rest of the product may do with the delivery of push notifications. */
export interface PushDeliveries {
  /** Registers a webhook, or replaces the one of the same ID. Durable when it returns, also with no worker. */
  set(taskId: string, webhook: Webhook): Promise<void>;
  /** Nothing is begun to be sent to it any more once this returns. Harmless when there is none. */
  remove(taskId: string, webhookId: string): Promise<void>;
  /** In the order of their registration; exact, and with no worker too. */
  list(taskId: string): Promise<readonly Webhook[]>;
  /** Cursor of the first event of a task that there is. */
  startOf(taskId: string): Promise<string>;
  /** Webhooks that have failed for good; as fresh as Temporal's visibility. */
  listParked(): Promise<readonly ParkedWebhook[]>;
  /** False when no such webhook is parked. */
  retryParked(taskId: string, webhookId: string): Promise<boolean>;
}

export interface PushDeliveriesDependencies {
  readonly connection: Connection;
  readonly temporalClient: Client;
  readonly taskQueue: string;
  readonly payloads: PayloadDecoder;
  readonly limits: PushLimits;
}

const CALL_TIMEOUT_MS = 4_000;

export function createPushDeliveries({ limits, ...dependencies }: PushDeliveriesDependencies): PushDeliveries {
  const temporal: TaskTemporal = {
    ...dependencies,
    callTimeoutMs: CALL_TIMEOUT_MS,
    lane: new CallLane({ size: 32, waitMs: 20_000 }),
  };
  const { workflow } = dependencies.temporalClient;
  return {
    async set(taskId, webhook) {
      const input: PushDeliveryInput = { taskId, limits };
      const change: WebhookChange = { signalId: randomUUID(), set: webhook };
      const memo: PushDeliveryMemo = { taskId, webhooks: [] };
      await callTemporal(temporal, () =>
        workflow.signalWithStart(PUSH_DELIVERY_WORKFLOW_TYPE, {
          workflowId: pushDeliveryId(taskId),
          taskQueue: temporal.taskQueue,
          args: [input],
          signal: webhookChangeSignal,
          signalArgs: [change],
          memo: { ...memo },
          staticSummary: `Push notifications of ${taskId}`,
        }),
      );
    },
    async remove(taskId, webhookId) {
      const change: WebhookChange = { signalId: randomUUID(), deleted: webhookId };
      await unlessGone(() =>
        callTemporal(temporal, () => workflow.getHandle(pushDeliveryId(taskId)).signal(webhookChangeSignal, change)),
      );
    },
    list: (taskId) => readWebhooks(temporal, taskId),
    async startOf(taskId) {
      if (!isPossibleTaskId(taskId)) throw taskNotFound();
      const { workflowExecutionInfo: info } = await describe(taskId);
      return formatCursor({ runId: info?.firstRunId || (info?.execution?.runId ?? ''), eventId: 1, index: 0 });
    },
    listParked: () => listParked(temporal),
    async retryParked(taskId, webhookId) {
      if (!isPossibleTaskId(taskId)) return false;
      const described = await unlessGone(() => describe(pushDeliveryId(taskId)));
      const memo = described?.workflowExecutionInfo?.memo?.fields?.['webhooks'];
      if (!memo) return false;
      const webhooks = (await temporal.payloads.decodeFirst([memo])) as readonly WebhookBrief[];
      if (!webhooks.some(({ id, state }) => id === webhookId && state === 'parked')) return false;
      const isSent = await unlessGone(async () => {
        const handle = workflow.getHandle(pushDeliveryId(taskId));
        await callTemporal(temporal, () => handle.signal(retryParkedSignal, { webhookId }));
        return true;
      });
      return isSent ?? false;
    },
  };

  function describe(workflowId: string) {
    return callTemporal(temporal, () =>
      temporal.temporalClient.workflowService.describeWorkflowExecution({
        namespace: namespaceOf(temporal),
        execution: { workflowId },
      }),
    );
  }
}

async function unlessGone<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (isFailure(error, 'task-not-found')) return undefined;
    throw error;
  }
}
