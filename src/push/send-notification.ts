import { Task as ProtoTask, StreamResponse as ProtoStreamResponse } from '@a2a-js/sdk';
import { V03PushNotificationSerializer } from '@a2a-js/sdk/compat/v0_3/server';
import { V1PushNotificationSerializer } from '@a2a-js/sdk/server';
import type { StreamResponse, Task } from '../domain/a2a.ts';
import type { PushFailure } from '../domain/push-round.ts';
import type { WireVersion } from '../domain/webhook.ts';
import type { Post } from '../net/post.ts';
import type { WebhookTarget } from './target-seal.ts';

export interface Notification {
  readonly event: StreamResponse;
  readonly task: Task;
  /** Of the event: a webhook that gets one twice can tell. */
  readonly id?: string;
  readonly wireVersion: WireVersion;
}

/** Undefined when the webhook has taken it. */
export type SendNotification = (
  target: WebhookTarget,
  notification: Notification,
  signal: AbortSignal,
) => Promise<PushFailure | undefined>;

/** Of 0.3 the body is the task, as it is after the event. */
const SERIALIZERS = { '1.0': new V1PushNotificationSerializer(), '0.3': new V03PushNotificationSerializer() };

const GONE = 410;

export function createSendNotification({ post, timeoutMs }: { post: Post; timeoutMs: number }): SendNotification {
  return async function sendNotification(target, notification, signal) {
    const { body, contentType } = serialize(notification);
    const headers = { 'Content-Type': contentType, ...headersOf(target, notification) };
    try {
      const { status, retryAfter } = await post({ url: target.url, headers, body, timeoutMs, signal });
      if (status >= 200 && status < 300) return undefined;
      const retryAfterMs = parseRetryAfter(retryAfter);
      return {
        reason: status >= 300 && status < 400 ? `HTTP ${status}: redirects are not followed` : `HTTP ${status}`,
        isFinal: status === GONE,
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      };
    } catch (error) {
      signal.throwIfAborted();
      return { reason: reasonOf(error, timeoutMs), isFinal: false };
    }
  };
}

function serialize({ event, task, wireVersion }: Notification): { body: string; contentType: string } {
  const isTask = wireVersion === '0.3' && !('message' in event);
  return SERIALIZERS[wireVersion].serialize(
    ProtoStreamResponse.fromJSON(event),
    isTask ? ProtoTask.fromJSON(task) : undefined,
  );
}

function headersOf({ token, authentication }: WebhookTarget, { id }: Notification): Record<string, string> {
  const { scheme = '', credentials } = authentication ?? {};
  return {
    ...(scheme !== '' && { Authorization: credentials === undefined ? scheme : `${scheme} ${credentials}` }),
    ...(token !== undefined && { 'X-A2A-Notification-Token': token }),
    ...(id !== undefined && { 'X-Notification-Id': id }),
  };
}

/** Seconds, or a date (RFC 9110 §10.2.3). */
function parseRetryAfter(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Codes alone: messages of errors hold addresses, and may hold more. */
function reasonOf(error: unknown, timeoutMs: number): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (code === 'ADDRESS_REFUSED') return 'the address is not public, and no operator has allowed it';
  if (code === 'ABORT_ERR' || name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`;
  return typeof code === 'string' ? `no connection: ${code.slice(0, 60)}` : 'no connection';
}
