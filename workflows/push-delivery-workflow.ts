import {
  allHandlersFinished,
  condition,
  makeContinueAsNewFunc,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { own } from '../src/domain/own.ts';
import {
  foldWebhooks,
  isWebhookChange,
  NO_WEBHOOKS,
  type WebhookChange,
  type Webhooks,
} from '../src/domain/webhook.ts';
import {
  MEMO_WEBHOOKS_MAX,
  newsSignal,
  PUSH_STATE,
  type PushDeliveryInput,
  type PushDeliveryMemo,
  retryParkedSignal,
  type WebhookBrief,
  webhookChangeSignal,
  type WebhookProgress,
} from './push-delivery-contract.ts';
import { TaskNews } from './task-news.ts';
import { WebhookDelivery } from './webhook-delivery.ts';

/**
 * Delivers a task's push notifications: outlives the task, and ends when no webhook is left, or when all has been delivered
 * for so long that nobody will ask for them any more.
 */
export async function pushDeliveryWorkflow(input: PushDeliveryInput): Promise<void> {
  const push = new PushDelivery(input);
  setHandler(webhookChangeSignal, (change) => push.take(change), { description: 'A webhook is set or deleted' });
  setHandler(retryParkedSignal, (signal) => push.retry(signal), { description: 'A parked webhook is tried again' });
  setHandler(newsSignal, () => push.news.hear(), { description: 'Something has happened to the task' });
  await Promise.resolve();

  while (await push.advance()) {
    if (push.mustContinueAsNew()) await continueAsNew(input, push);
  }
}

async function continueAsNew(input: PushDeliveryInput, push: PushDelivery): Promise<never> {
  await push.stop();
  await condition(allHandlersFinished);
  const next = makeContinueAsNewFunc<typeof pushDeliveryWorkflow>({ memo: { ...push.memo() } });
  return next({ ...input, resume: { webhooks: push.webhooks, progress: push.progress() } });
}

class PushDelivery {
  webhooks: Webhooks;
  readonly news: TaskNews;
  private readonly input: PushDeliveryInput;
  private deliveries: readonly WebhookDelivery[] = [];
  private isChanged = true;
  private resumed: Readonly<Record<string, WebhookProgress>>;
  private shown = '';

  constructor(input: PushDeliveryInput) {
    this.input = input;
    this.webhooks = input.resume?.webhooks ?? NO_WEBHOOKS;
    this.resumed = input.resume?.progress ?? {};
    this.news = new TaskNews(input.taskId);
  }

  take(change: WebhookChange): void {
    if (!isWebhookChange(change)) return;
    this.webhooks = foldWebhooks(this.webhooks, change);
    // Who registers a parked webhook again wants it to be tried again.
    if ('set' in change) this.retry({ webhookId: change.set.id });
    this.isChanged = true;
  }

  retry({ webhookId }: { readonly webhookId: string }): void {
    this.deliveries.find(({ webhook }) => webhook.id === webhookId)?.retry();
  }

  /** One round; false when there is nothing left to do. */
  async advance(): Promise<boolean> {
    this.isChanged = false;
    this.reconcile();
    this.show();
    if (this.deliveries.length === 0) return this.end();
    const isNew = (): boolean => this.isChanged || this.mustContinueAsNew();
    if (this.deliveries.every((delivery) => delivery.isSettled)) {
      this.news.rest();
      // A signal may come at the very moment at which the time is over.
      return (await condition(isNew, this.input.limits.keepMs)) || isNew() || this.end();
    }
    await condition(isNew);
    return true;
  }

  mustContinueAsNew(): boolean {
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    return continueAsNewSuggested || historyLength >= this.input.limits.historyEventsMax;
  }

  /** Rounds under way end and say how far they came. */
  async stop(): Promise<void> {
    this.news.rest();
    for (const delivery of this.deliveries) delivery.stop();
    await Promise.all(this.deliveries.map(({ stopped }) => stopped));
  }

  progress(): Readonly<Record<string, WebhookProgress>> {
    return Object.fromEntries(this.deliveries.map(({ webhook, progress }) => [webhook.id, progress]));
  }

  memo(): PushDeliveryMemo {
    return { taskId: this.input.taskId, webhooks: this.deliveries.slice(0, MEMO_WEBHOOKS_MAX).map(toBrief) };
  }

  private end(): boolean {
    this.news.rest();
    return false;
  }

  private reconcile(): void {
    const { resumed } = this;
    this.resumed = {}; // who is deleted, and registered again, begins anew
    const kept = new Set(this.webhooks.list);
    for (const delivery of this.deliveries) if (!kept.has(delivery.webhook)) delivery.stop();
    this.deliveries = this.webhooks.list.map((webhook) => {
      const before = this.deliveries.find((delivery) => delivery.webhook.id === webhook.id);
      if (before?.webhook === webhook) return before;
      return new WebhookDelivery(webhook, {
        taskId: this.input.taskId,
        limits: this.input.limits,
        news: this.news,
        progress: own(resumed, webhook.id),
        after: before?.stopped,
        onChange: () => (this.isChanged = true),
      });
    });
  }

  /** For operators: in lists, and in Temporal's UI. */
  private show(): void {
    const memo = this.memo();
    setCurrentDetails(detailsOf(memo.webhooks));
    // Not each round is worth an event: what is under way shows in the pending activities.
    const state = memo.webhooks.some((each) => each.state === 'parked') ? PUSH_STATE.parked : PUSH_STATE.delivering;
    const shown = JSON.stringify(memo.webhooks.map(({ id, state: each, reason }) => [id, each === 'parked', reason]));
    if (shown === this.shown) return;
    const isFirst = this.shown === '';
    this.shown = shown;
    upsertMemo({ ...memo });
    if (!isFirst || state === PUSH_STATE.parked) upsertSearchAttributes({ A2aState: [state] });
  }
}

function toBrief({ webhook, progress }: WebhookDelivery): WebhookBrief {
  const { state, failures, delivered, reason, parkedAt } = progress;
  return {
    id: webhook.id,
    host: webhook.host,
    state,
    failures,
    delivered,
    ...(reason !== undefined && { reason }),
    ...(parkedAt !== undefined && { parkedAt }),
  };
}

/** Markdown: IDs are the caller's, and stay plain text. */
function detailsOf(webhooks: readonly WebhookBrief[]): string {
  const lines = webhooks.map(({ id, host, state, failures, delivered, reason }) => {
    const last = reason === undefined ? '' : `; last failure: ${plain(reason)} (${failures} in a row)`;
    return `- ${plain(host)} (${plain(id.slice(0, 80))}): **${state}**, ${delivered} delivered${last}`;
  });
  return lines.length === 0 ? 'No webhook is left.' : lines.join('\n');
}

function plain(text: string): string {
  return text.replace(/[\\`*_[\]<>!#|~&\r\n]/g, '\\$&');
}
