import { setTimeout as delay } from 'node:timers/promises';
import type { StreamResponse, Task } from '../domain/a2a.ts';
import type { PushFailure, PushPlace, PushRound, PushRoundEnd } from '../domain/push-round.ts';
import type { Webhook } from '../domain/webhook.ts';
import { joinAppends } from './join-appends.ts';
import { NotificationQueue } from './notification-queue.ts';
import type { SendNotification } from './send-notification.ts';
import { SealBrokenError, type TargetSeal } from './target-seal.ts';

interface Read {
  readonly event: StreamResponse;
  readonly cursor?: string;
  readonly task: Task;
}

export interface RoundDependencies {
  /** As `ReadNotifications` of src/a2a. */
  readonly read: (
    taskId: string,
    place: PushPlace,
    options: { readonly isLive: boolean; readonly signal: AbortSignal },
  ) => AsyncGenerator<Read, boolean, undefined>;
  /** The webhooks of a task as they are at this moment. */
  readonly webhooksOf: (taskId: string) => Promise<readonly Webhook[]>;
  readonly seal: Pick<TargetSeal, 'open'>;
  readonly send: SendNotification;
  /** How long a live round waits for something to happen. */
  readonly lingerMs: () => number;
  /** The task is gone: nothing of it can be told any more. */
  readonly isGone: (error: unknown) => boolean;
  /** The source had more than could be sent: it can be read again. */
  readonly isBehind: (error: unknown) => boolean;
}

export interface RoundOptions {
  /** Ends the round after what is being sent. */
  readonly signal: AbortSignal;
  readonly onProgress: (place: PushPlace) => void;
}

/** A round is an event or two of the delivery's history, and so long that even a busy task makes few of them. */
const ROUND_MS = 120_000;
const WAITING_MAX = 200;

export const SECRET_CHANGED = 'it was registered under another LONGHAUL_SECRET: its caller must register it again';

/** Sends a webhook, in order, what has happened to its task: each event once it has taken the one before. */
export function createDeliverRound(dependencies: RoundDependencies) {
  const { read, webhooksOf, seal, send, lingerMs, isGone, isBehind } = dependencies;

  return async function deliverRound(round: PushRound, { signal, onProgress }: RoundOptions): Promise<PushRoundEnd> {
    let place: PushPlace = { at: round.at, hasBegun: round.hasBegun };
    let delivered = 0;
    const end = (how: PushRoundEnd['end'], failure?: PushFailure): PushRoundEnd => ({
      ...place,
      delivered,
      end: how,
      ...(failure && { failure }),
    });

    const over = new AbortController();
    const reading = AbortSignal.any([signal, over.signal]);
    const queue = new NotificationQueue<Read>(WAITING_MAX);
    const source = read(round.taskId, place, { isLive: round.isLive, signal: reading });
    void queue.fill(source, reading);
    const deadline = Date.now() + ROUND_MS;
    try {
      for (;;) {
        if (signal.aborted || Date.now() > deadline) return end('more');
        if (queue.length === 0 && queue.end === undefined) {
          const waitMs = round.isLive ? lingerMs() : ROUND_MS;
          if (!(await changesWithin(queue, waitMs, reading))) return end(round.isLive ? 'idle' : 'more');
          continue;
        }
        const next = takeNext(queue);
        if (next === undefined) return ended();
        // The webhook as it is now: none that has been deleted is sent anything more.
        const webhook = (await webhooksOf(round.taskId)).find(({ id }) => id === round.webhookId);
        if (webhook?.fingerprint !== round.fingerprint) return end('removed');
        const failure = await sendTo(webhook, next);
        if (failure !== undefined) return end('failed', failure);
        delivered += 1;
        if (next.cursor === undefined) continue;
        place = { at: next.cursor, hasBegun: true };
        onProgress(place);
      }
    } catch (error) {
      if (signal.aborted) return end('more');
      // What was sent is not forgotten; whoever begins the next round meets the error by itself.
      if (delivered > 0) return end('more');
      throw error;
    } finally {
      over.abort();
    }

    function ended(): PushRoundEnd {
      if (queue.end === undefined) return end('more');
      if ('value' in queue.end) return end(signal.aborted ? 'more' : queue.end.value ? 'task-ended' : 'idle');
      const { error } = queue.end;
      if (isGone(error)) return end('task-ended');
      if (isBehind(error)) return end('more');
      throw error;
    }

    async function sendTo(webhook: Webhook, { event, cursor, task }: Read): Promise<PushFailure | undefined> {
      const { id: webhookId, wireVersion, sealed } = webhook;
      try {
        const target = seal.open(sealed, { taskId: round.taskId, webhookId });
        return await send(target, { event, task, wireVersion, ...(cursor !== undefined && { id: cursor }) }, signal);
      } catch (error) {
        if (error instanceof SealBrokenError) return { reason: SECRET_CHANGED, isFinal: true };
        throw error;
      }
    }
  };
}

/** The next event, joined with those behind it that it can be joined with. */
function takeNext(queue: NotificationQueue<Read>): Read | undefined {
  let next = queue.shift();
  for (let behind = queue.peek(); next !== undefined && behind !== undefined; behind = queue.peek()) {
    const event = joinAppends(next.event, behind.event);
    if (event === undefined || behind.cursor === undefined) break;
    next = { ...behind, event };
    queue.shift();
  }
  return next;
}

async function changesWithin(queue: NotificationQueue<Read>, ms: number, signal: AbortSignal): Promise<boolean> {
  const timer = new AbortController();
  try {
    return await Promise.race([
      queue.change(signal).then(() => true),
      delay(ms, false, { signal: timer.signal, ref: false }),
    ]);
  } finally {
    timer.abort();
  }
}
