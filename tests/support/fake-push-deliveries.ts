import {
  foldWebhooks,
  NO_WEBHOOKS,
  type Webhook,
  type WebhookChange,
  type Webhooks,
} from '../../src/domain/webhook.ts';
import type { ParkedWebhook } from '../../src/temporal/push/parked-webhooks.ts';
import type { PushDeliveries } from '../../src/temporal/push/push-deliveries.ts';

/** PushDeliveries in memory, on the same fold; nothing is delivered. */
export class FakePushDeliveries implements PushDeliveries {
  parked: ParkedWebhook[] = [];
  readonly retried: string[] = [];
  private readonly byTask = new Map<string, Webhooks>();
  private count = 0;

  async set(taskId: string, webhook: Webhook): Promise<void> {
    this.take(taskId, { signalId: `${(this.count += 1)}`, set: webhook });
  }

  async remove(taskId: string, webhookId: string): Promise<void> {
    this.take(taskId, { signalId: `${(this.count += 1)}`, deleted: webhookId });
  }

  async list(taskId: string): Promise<readonly Webhook[]> {
    return this.byTask.get(taskId)?.list ?? [];
  }

  async startOf(): Promise<string> {
    return 'start';
  }

  async listParked(): Promise<readonly ParkedWebhook[]> {
    return this.parked;
  }

  async retryParked(taskId: string, webhookId: string): Promise<boolean> {
    const isParked = this.parked.some((each) => each.taskId === taskId && each.configId === webhookId);
    if (isParked) this.retried.push(`${taskId}/${webhookId}`);
    return isParked;
  }

  private take(taskId: string, change: WebhookChange): void {
    this.byTask.set(taskId, foldWebhooks(this.byTask.get(taskId) ?? NO_WEBHOOKS, change));
  }
}
