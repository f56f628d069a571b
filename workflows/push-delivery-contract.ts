/** How the workflow that delivers a task's push notifications is started and signalled: all that its clients know of it. */
import { defineSignal } from '@temporalio/workflow';
import type { PushPlace } from '../src/domain/push-round.ts';
import type { WebhookChange, Webhooks } from '../src/domain/webhook.ts';

export const PUSH_DELIVERY_WORKFLOW_TYPE = 'pushDeliveryWorkflow';

export const webhookChangeSignal = defineSignal<[WebhookChange]>('webhook');
export const retryParkedSignal = defineSignal<[{ readonly webhookId: string }]>('retryParked');
/** Of the task, once for each time it was told to `watch`. */
export const newsSignal = defineSignal('news');

export function pushDeliveryId(taskId: string): string {
  return `push-${taskId}`;
}

/** Activities of deliveries have a queue of their own, so that webhooks that hang hold up no stages. */
export function pushTaskQueue(taskQueue: string): string {
  return `${taskQueue}-push`;
}

export interface PushDeliveryInput {
  readonly taskId: string;
  readonly limits: PushLimits;
  /** Set by continue-as-new. */
  readonly resume?: PushDeliveryResume;
}

export interface PushLimits {
  /** Failures in a row, after which a webhook is parked. */
  readonly attemptsMax: number;
  /** Before the second attempt; doubles with each further one. */
  readonly retryDelayMs: number;
  readonly retryDelayMsMax: number;
  /** How long webhooks are kept when there is nothing left to do for them. */
  readonly keepMs: number;
  /** Continue as new at this length of history at the latest. */
  readonly historyEventsMax: number;
}

export interface PushDeliveryResume {
  readonly webhooks: Webhooks;
  readonly progress: Readonly<Record<string, WebhookProgress>>;
}

/** How far the delivery to one webhook has come. */
export interface WebhookProgress extends PushPlace {
  readonly fingerprint: string;
  readonly state: 'delivering' | 'waiting' | 'retrying' | 'parked' | 'done';
  /** Failures in a row. */
  readonly failures: number;
  readonly delivered: number;
  /** Of the last failure. */
  readonly reason?: string;
  /** ISO 8601, UTC: since when it is parked. */
  readonly parkedAt?: string;
  /** Unix time in ms: not to be tried again before. */
  readonly retryAtMs?: number;
}

/** Webhooks in the memo: it must stay small, since lists carry it. */
export const MEMO_WEBHOOKS_MAX = 20;

export interface PushDeliveryMemo {
  readonly taskId: string;
  readonly webhooks: readonly WebhookBrief[];
}

export interface WebhookBrief {
  readonly id: string;
  readonly host: string;
  readonly state: WebhookProgress['state'];
  readonly failures: number;
  readonly delivered: number;
  readonly reason?: string;
  readonly parkedAt?: string;
}

/** Value of the search attribute `A2aState` of a delivery that has a parked webhook, and of all others. */
export const PUSH_STATE = { parked: 'PUSH_PARKED', delivering: 'PUSH_DELIVERING' } as const;
