import { createHash, randomUUID } from 'node:crypto';
import type { TaskPushNotificationConfig } from '../domain/a2a.ts';
import type { Webhook, WireVersion } from '../domain/webhook.ts';
import { checkOutboundUrl } from '../net/check-outbound-url.ts';
import type { OutboundPolicy } from '../net/outbound-policy.ts';
import type { PushDeliveries } from '../temporal/push/push-deliveries.ts';
import { SealBrokenError, type TargetSeal, type WebhookTarget } from './target-seal.ts';

export interface Registration {
  readonly taskId: string;
  /** Absent: one is made; the same for the same `once`. */
  readonly id?: string | undefined;
  readonly once?: string;
  readonly target: WebhookTarget;
  readonly wireVersion: WireVersion;
  /** Cursor that the webhook is told of what comes after. */
  readonly from: string;
}

/** The webhooks of tasks, as those who may see them do. Whose task it is has been asked before. */
export interface WebhookRegistry {
  readonly isEnabled: boolean;
  /** What is wrong with a URL that notifications are to be sent to. */
  urlFault(url: string): string | undefined;
  /** `undefined` when the task has as many as it may have. */
  register(registration: Registration): Promise<TaskPushNotificationConfig | undefined>;
  list(taskId: string): Promise<readonly TaskPushNotificationConfig[]>;
  remove(taskId: string, id: string): Promise<void>;
  /** Cursor of the beginning of a task. */
  startOf(taskId: string): Promise<string>;
}

const WEBHOOKS_PER_TASK_MAX = 20;

export function createWebhookRegistry({
  deliveries,
  seal,
  policy,
  isEnabled,
}: {
  deliveries: PushDeliveries;
  seal: TargetSeal;
  policy: OutboundPolicy;
  isEnabled: boolean;
}): WebhookRegistry {
  return {
    isEnabled,
    urlFault(url) {
      const checked = checkOutboundUrl(url, policy);
      return 'fault' in checked ? checked.fault : undefined;
    },
    async register({ taskId, id = newId(), once, target, wireVersion, from }) {
      const webhookId = once === undefined ? id : inlineId(once);
      const known = await deliveries.list(taskId);
      if (known.length >= WEBHOOKS_PER_TASK_MAX && !known.some((each) => each.id === webhookId)) return undefined;
      await deliveries.set(taskId, {
        id: webhookId,
        sealed: seal.seal(target, { taskId, webhookId }),
        host: new URL(target.url).host,
        fingerprint: seal.fingerprint(target),
        wireVersion,
        from,
        registeredAt: new Date().toISOString(),
      });
      return toConfig(taskId, webhookId, target);
    },
    async list(taskId) {
      return (await deliveries.list(taskId)).map((webhook) => toConfig(taskId, webhook.id, open(taskId, webhook)));
    },
    remove: (taskId, id) => deliveries.remove(taskId, id),
    startOf: (taskId) => deliveries.startOf(taskId),
  };

  /** What was sealed with another secret can be told of, and deleted, though not read. */
  function open(taskId: string, { id, sealed, host }: Webhook): WebhookTarget {
    try {
      return seal.open(sealed, { taskId, webhookId: id });
    } catch (error) {
      if (error instanceof SealBrokenError) return { url: `https://${host}/` };
      throw error;
    }
  }
}

function toConfig(taskId: string, id: string, target: WebhookTarget): TaskPushNotificationConfig {
  return { taskId, id, ...target };
}

function newId(): string {
  return randomUUID();
}

/** A message that is sent again, as its answer was lost, registers its webhook once. */
function inlineId(once: string): string {
  return createHash('sha256').update(once).digest('base64url').slice(0, 22);
}
