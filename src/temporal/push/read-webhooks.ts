import { foldWebhooks, isWebhookChange, NO_WEBHOOKS, type Webhook, type Webhooks } from '../../domain/webhook.ts';
import {
  pushDeliveryId,
  type PushDeliveryInput,
  webhookChangeSignal,
} from '../../../workflows/push-delivery-contract.ts';
import { type HistoryEvent, readHistory } from '../history/history-page.ts';
import { isFailure } from '../tasks/task-failures.ts';
import type { TaskTemporal } from '../tasks/task-temporal.ts';

/** Absent from the request: the current run. */
const CURRENT_RUN = '';

/** The webhooks of a task, folded from the history of their delivery as its workflow does: exact, and no worker is asked. */
export async function readWebhooks(temporal: TaskTemporal, taskId: string): Promise<readonly Webhook[]> {
  for (;;) {
    let webhooks: Webhooks = NO_WEBHOOKS;
    let last: HistoryEvent | undefined;
    try {
      for await (const event of readHistory(temporal, pushDeliveryId(taskId), CURRENT_RUN)) {
        webhooks = await take(temporal, webhooks, event);
        last = event;
      }
    } catch (error) {
      if (isFailure(error, 'task-not-found')) return [];
      throw error;
    }
    if (last?.workflowExecutionContinuedAsNewEventAttributes) continue; // at this very moment
    return last === undefined || isEnd(last) ? [] : webhooks.list;
  }
}

async function take({ payloads }: TaskTemporal, webhooks: Webhooks, event: HistoryEvent): Promise<Webhooks> {
  const started = event.workflowExecutionStartedEventAttributes;
  if (started) {
    const input = (await payloads.decodeFirst(started.input?.payloads)) as PushDeliveryInput;
    return input.resume?.webhooks ?? NO_WEBHOOKS;
  }
  const signaled = event.workflowExecutionSignaledEventAttributes;
  if (signaled?.signalName !== webhookChangeSignal.name) return webhooks;
  const change = await payloads.decodeFirst(signaled.input?.payloads);
  return isWebhookChange(change) ? foldWebhooks(webhooks, change) : webhooks;
}

/** Webhooks last no longer than their delivery. */
function isEnd(event: HistoryEvent): boolean {
  return Boolean(
    event.workflowExecutionCompletedEventAttributes ??
    event.workflowExecutionFailedEventAttributes ??
    event.workflowExecutionCanceledEventAttributes ??
    event.workflowExecutionTerminatedEventAttributes ??
    event.workflowExecutionTimedOutEventAttributes,
  );
}
