import type { PushConfigRequest } from '../../contract/push-config.ts';
import type { TaskPushNotificationConfig } from '../../domain/a2a.ts';
import type { Call } from '../call.ts';
import { requireOwnTask } from '../own-task.ts';
import {
  checkWebhookUrl,
  cursorNow,
  registerWebhook,
  requirePush,
  type WebhookDependencies,
} from '../register-webhook.ts';

/** A2A 1.0 §3.1.7. The key is (task, id): the same ID again replaces what it stood for. */
export function createCreateTaskPushNotificationConfig(dependencies: WebhookDependencies) {
  return async function createTaskPushNotificationConfig(
    { taskId, ...config }: PushConfigRequest & { readonly taskId: string },
    call: Call,
  ): Promise<TaskPushNotificationConfig> {
    requirePush(dependencies.webhooks);
    await requireOwnTask(dependencies.tasks, taskId, call);
    checkWebhookUrl(dependencies.webhooks, config, 'url');
    const from = await cursorNow(dependencies, taskId, call.signal);
    return registerWebhook(dependencies, config, { taskId, from, call });
  };
}
