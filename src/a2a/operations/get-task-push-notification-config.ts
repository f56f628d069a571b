import type { TaskPushNotificationConfig } from '../../domain/a2a.ts';
import { Failure } from '../../domain/failure.ts';
import type { Call } from '../call.ts';
import { requireOwnTask } from '../own-task.ts';
import { requirePush, type WebhookDependencies } from '../register-webhook.ts';

/** A2A 1.0 §3.1.8. */
export function createGetTaskPushNotificationConfig({ tasks, webhooks }: WebhookDependencies) {
  return async function getTaskPushNotificationConfig(
    { taskId, id }: { readonly taskId: string; readonly id: string },
    call: Call,
  ): Promise<TaskPushNotificationConfig> {
    requirePush(webhooks);
    await requireOwnTask(tasks, taskId, call);
    const config = (await webhooks.list(taskId)).find((each) => each.id === id);
    if (config === undefined) throw new Failure('task-not-found', 'Push notification configuration not found');
    return config;
  };
}
