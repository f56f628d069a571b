import { CancellationScope, condition, isCancellation, sleep } from '@temporalio/workflow';
import type { PushFailure, PushRoundEnd } from '../src/domain/push-round.ts';
import type { Webhook } from '../src/domain/webhook.ts';
import { deliverPushEvents } from './push-activities.ts';
import type { PushLimits, WebhookProgress } from './push-delivery-contract.ts';
import type { TaskNews } from './task-news.ts';

/** The delivery to one webhook, in order: round after round, with a pause after each failure, until it is done or parked. */
export class WebhookDelivery {
  readonly webhook: Webhook;
  progress: WebhookProgress;
  /** Fulfils when nothing more is sent by this delivery. */
  readonly stopped: Promise<void>;
  private readonly taskId: string;
  private readonly limits: PushLimits;
  private readonly news: TaskNews;
  private readonly onChange: () => void;
  private readonly scope = new CancellationScope();
  private isRetryWanted = false;

  constructor(
    webhook: Webhook,
    options: {
      readonly taskId: string;
      readonly limits: PushLimits;
      readonly news: TaskNews;
      readonly progress: WebhookProgress | undefined;
      readonly onChange: () => void;
      /** Of the delivery that this one replaces: two must not send at the same time. */
      readonly after: Promise<void> | undefined;
    },
  ) {
    this.webhook = webhook;
    this.taskId = options.taskId;
    this.limits = options.limits;
    this.news = options.news;
    this.onChange = options.onChange;
    const { progress } = options;
    this.progress =
      progress?.fingerprint === webhook.fingerprint
        ? progress
        : {
            at: webhook.from,
            hasBegun: false,
            fingerprint: webhook.fingerprint,
            state: 'delivering',
            failures: 0,
            delivered: 0,
          };
    this.stopped = this.scope
      .run(() => this.run(options.after))
      .catch((error: unknown) => {
        if (!isCancellation(error)) throw error;
      });
  }

  /** Nothing will be sent unless something happens to the webhook itself. */
  get isSettled(): boolean {
    return this.progress.state === 'parked' || this.progress.state === 'done';
  }

  stop(): void {
    this.scope.cancel();
  }

  /** A parked webhook gets its attempts anew. */
  retry(): void {
    if (this.progress.state === 'parked') this.isRetryWanted = true;
  }

  private async run(after: Promise<void> | undefined): Promise<void> {
    await after;
    let isLive = true;
    while (this.progress.state !== 'done') {
      await this.pause();
      const { count, isWatching } = this.news;
      // All that happens is heard of, so what is in the history now is all that there is to send.
      const isSure = isWatching && !isLive;
      const round = await this.round(!isSure);
      this.progress = {
        ...this.progress,
        at: round.at,
        hasBegun: round.hasBegun,
        delivered: this.progress.delivered + round.delivered,
        ...(round.delivered > 0 && { failures: 0 }),
      };
      if (round.end === 'removed') return; // whoever removed it knows
      if (round.end === 'failed') this.fail(round.failure);
      else if (round.end === 'task-ended') this.become('done');
      else if (round.end === 'idle') isLive = await this.rest(count, isSure);
      else isLive = true;
    }
  }

  /** @returns whether something has happened that is to be followed; false: ask for what may have been missed */
  private async rest(newsBefore: number, isSure: boolean): Promise<boolean> {
    if (this.news.count > newsBefore) return true;
    if (!isSure) {
      if (!this.news.isWatching) await this.news.watch();
      return this.news.count > newsBefore;
    }
    this.become('waiting');
    await condition(() => this.news.count > newsBefore);
    return true;
  }

  private round(isLive: boolean): Promise<PushRoundEnd> {
    this.become('delivering');
    const { at, hasBegun } = this.progress;
    const { id: webhookId, fingerprint, host } = this.webhook;
    return deliverPushEvents({ taskId: this.taskId, webhookId, fingerprint, at, hasBegun, isLive }, host);
  }

  /** Until the next attempt is due; of a parked webhook, until an operator or its caller wants one. */
  private async pause(): Promise<void> {
    if (this.progress.state === 'retrying') {
      const leftMs = (this.progress.retryAtMs ?? 0) - Date.now();
      if (leftMs > 0) await sleep(leftMs, { summary: `next attempt at ${this.webhook.host}` });
    }
    if (this.progress.state !== 'parked') return;
    await condition(() => this.isRetryWanted);
    this.isRetryWanted = false;
    const { parkedAt: _, ...progress } = this.progress;
    this.progress = { ...progress, failures: 0 };
  }

  private fail(failure: PushFailure = { reason: 'unknown', isFinal: false }): void {
    const { attemptsMax, retryDelayMs, retryDelayMsMax } = this.limits;
    const { reason, isFinal, retryAfterMs = 0 } = failure;
    const failures = this.progress.failures + 1;
    this.progress = { ...this.progress, failures, reason };
    if (isFinal || failures >= attemptsMax) {
      this.progress = { ...this.progress, parkedAt: new Date().toISOString() };
      this.become('parked');
      return;
    }
    const backoffMs = Math.min(retryDelayMs * 2 ** (failures - 1), retryDelayMsMax);
    // Many tasks that share a webhook should not all come back to it at the same moment.
    const delayMs = Math.max(backoffMs * (1 + Math.random() / 5), Math.min(retryAfterMs, retryDelayMsMax));
    this.progress = { ...this.progress, retryAtMs: Date.now() + Math.ceil(delayMs) };
    this.become('retrying');
  }

  private become(state: WebhookProgress['state']): void {
    if (this.progress.state === state && state !== 'retrying') return;
    this.progress = { ...this.progress, state };
    this.onChange();
  }
}
