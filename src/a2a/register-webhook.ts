import { INLINE_FIELD, parseInlinePushConfig, type PushConfigRequest } from '../contract/push-config.ts';
import { invalidRequest } from '../contract/invalid-request.ts';
import type { SendConfiguration } from '../contract/message.ts';
import type { Message, TaskPushNotificationConfig } from '../domain/a2a.ts';
import { Failure } from '../domain/failure.ts';
import type { WebhookRegistry } from '../push/webhook-registry.ts';
import type { WebhookTarget } from '../push/target-seal.ts';
import type { TaskWorkflows } from '../temporal/tasks/task-workflows.ts';
import type { Call } from './call.ts';
import { requireOwnTask } from './own-task.ts';

export interface WebhookDependencies {
  readonly tasks: Pick<TaskWorkflows, 'follow' | 'startMemo'>;
  readonly webhooks: WebhookRegistry;
}

/** A2A 1.0 §3.3.4. @throws {Failure} `push-not-supported` */
export function requirePush({ isEnabled }: WebhookRegistry): void {
  if (!isEnabled) throw new Failure('push-not-supported', 'Push notifications are not supported');
}

/** @throws {Failure} `invalid-request` unless notifications may be sent there */
export function checkWebhookUrl(webhooks: WebhookRegistry, { url }: PushConfigRequest, field: string): void {
  const fault = webhooks.urlFault(url);
  if (fault !== undefined) throw invalidRequest([{ field, description: fault }]);
}

export async function registerWebhook(
  { webhooks }: WebhookDependencies,
  config: PushConfigRequest,
  place: { readonly taskId: string; readonly from: string; readonly once?: string; readonly call: Call },
): Promise<TaskPushNotificationConfig> {
  const { taskId, from, once, call } = place;
  const config_ = await webhooks.register({
    taskId,
    id: config.id,
    ...(once !== undefined && config.id === undefined && { once }),
    target: toTarget(config),
    wireVersion: call.wireVersion ?? '1.0',
    from,
  });
  if (config_ !== undefined) return config_;
  throw new Failure('invalid-request', 'The task has as many push notification configurations as it may have');
}

/** Where the task stands at this moment. */
export async function cursorNow({ tasks }: WebhookDependencies, taskId: string, signal: AbortSignal): Promise<string> {
  const items = tasks.follow(taskId, { signal })[Symbol.asyncIterator]();
  const first = await items.next();
  await items.return?.();
  if (first.done !== true) return first.value.cursor;
  throw new Failure('unavailable', 'The task cannot be read at the moment', { retryAfterSeconds: 1 });
}

/**
 * The webhook that comes with a message: checked before the message is taken, and registered once its task is known.
 * @throws {Failure} `push-not-supported`, `invalid-request`
 */
export async function prepareInlineWebhook(
  dependencies: WebhookDependencies,
  { taskPushNotificationConfig }: SendConfiguration,
  message: Message,
  call: Call,
): Promise<(taskId: string) => Promise<void>> {
  if (taskPushNotificationConfig === undefined) return () => Promise.resolve();
  const { webhooks, tasks } = dependencies;
  requirePush(webhooks);
  const config = parseInlinePushConfig(taskPushNotificationConfig);
  checkWebhookUrl(webhooks, config, `${INLINE_FIELD}.url`);
  // What a message to a task brings about is behind this; a task that begins with it is told of from its beginning.
  let before: string | undefined;
  if (message.taskId !== undefined) {
    await requireOwnTask(tasks, message.taskId, call);
    before = await cursorNow(dependencies, message.taskId, call.signal);
  }
  return async (taskId) => {
    const from = before ?? (await webhooks.startOf(taskId));
    await registerWebhook(dependencies, config, { taskId, from, once: message.messageId, call });
  };
}

function toTarget({ url, token, authentication }: PushConfigRequest): WebhookTarget {
  const { scheme, credentials } = authentication ?? {};
  return {
    url,
    ...(token !== undefined && { token }),
    ...(scheme !== undefined && {
      authentication: { scheme, ...(credentials !== undefined && { credentials }) },
    }),
  };
}
