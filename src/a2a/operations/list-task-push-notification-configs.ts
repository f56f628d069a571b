import type { TaskPushNotificationConfig } from '../../domain/a2a.ts';
import type { Call } from '../call.ts';
import { requireOwnTask } from '../own-task.ts';
import { requirePush, type WebhookDependencies } from '../register-webhook.ts';

export interface ListTaskPushNotificationConfigsResponse {
  readonly configs: readonly TaskPushNotificationConfig[];
  readonly nextPageToken: string;
}

/** A2A 1.0 §3.1.9. A task has so few that they are one page. */
export function createListTaskPushNotificationConfigs({ tasks, webhooks }: WebhookDependencies) {
  return async function listTaskPushNotificationConfigs(
    { taskId }: { readonly taskId: string },
    call: Call,
  ): Promise<ListTaskPushNotificationConfigsResponse> {
    requirePush(webhooks);
    await requireOwnTask(tasks, taskId, call);
    return { configs: await webhooks.list(taskId), nextPageToken: '' };
  };
}
