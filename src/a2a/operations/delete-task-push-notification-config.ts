import type { Call } from '../call.ts';
import { requireOwnTask } from '../own-task.ts';
import { requirePush, type WebhookDependencies } from '../register-webhook.ts';

/** A2A 1.0 §3.1.10: deleting what is not there is no error. */
export function createDeleteTaskPushNotificationConfig({ tasks, webhooks }: WebhookDependencies) {
  return async function deleteTaskPushNotificationConfig(
    { taskId, id }: { readonly taskId: string; readonly id: string },
    call: Call,
  ): Promise<Record<string, never>> {
    requirePush(webhooks);
    await requireOwnTask(tasks, taskId, call);
    await webhooks.remove(taskId, id);
    return {};
  };
}
