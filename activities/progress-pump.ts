/**
 * Sends what a running stage shows, in order and thinned: one signal in flight, the first at once, then one every interval.
 * Knows no Temporal: `send` does, and the clock is handed in.
 */
import type { ProgressItem, ProgressSignal, StageRunRef } from '../src/domain/task-log.ts';
import type { ProgressBudget } from './progress-budget.ts';
import { ProgressQueue } from './progress-queue.ts';

const INTERVAL_MS = 250;
const INTERVAL_MS_MAX = 60_000;
/** The interval doubles after so many signals. */
const SIGNALS_PER_INTERVAL = 100;
/** More than this waiting makes the executor wait, and is sent without regard to the interval. */
const QUEUED_BYTES_MAX = 1024 * 1024;
const RETRY_MS = 500;
const RETRY_MS_MAX = 10_000;

export interface Clock {
  now(): number;
  /** Resolves after `ms`, or as soon as the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface ProgressPumpOptions {
  readonly run: StageRunRef;
  readonly send: (signal: ProgressSignal) => Promise<void>;
  /** Whether sending the same again is of no use: the signal is dropped. Any other error is tried again until abort. */
  readonly isFinal: (error: unknown) => boolean;
  readonly onDropped: (error: unknown) => void;
  readonly budget: ProgressBudget;
  readonly sideBySide: number;
  readonly clock: Clock;
  /** The attempt is over: what has not been sent is the next attempt's to say. */
  readonly abortSignal: AbortSignal;
}

export class ProgressPump {
  readonly #options: ProgressPumpOptions;
  readonly #queue = new ProgressQueue();
  #seq = 0;
  #sent = 0;
  #nextAt = Number.NEGATIVE_INFINITY;
  #loop: Promise<void> | undefined;
  /** Ends the pause between two signals. */
  #pause = new AbortController();
  #isFlushing = false;
  #waiters: (() => void)[] = [];
  readonly #aborted: Promise<void>;

  constructor(options: ProgressPumpOptions) {
    this.#options = options;
    this.#aborted = new Promise((resolve) => {
      const onAbort = () => {
        this.#wake();
        resolve();
      };
      if (options.abortSignal.aborted) onAbort();
      else options.abortSignal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Takes the item at once; the promise is there to be awaited when too much waits. */
  add(item: ProgressItem): Promise<void> {
    if (this.#isAborted) return Promise.reject(abortReason(this.#options.abortSignal));
    this.#queue.add(item);
    this.#loop ??= this.#run();
    if (!this.#isFull) return Promise.resolve();
    this.#pause.abort();
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
    });
  }

  /** Sends all that waits. Resolves also when the attempt was aborted. */
  async flush(): Promise<void> {
    this.#isFlushing = true;
    this.#pause.abort();
    if (!this.#queue.isEmpty) this.#loop ??= this.#run();
    await Promise.race([this.#loop, this.#aborted]);
    this.#isFlushing = false;
  }

  get #isAborted(): boolean {
    return this.#options.abortSignal.aborted;
  }

  get #isFull(): boolean {
    return this.#queue.bytes > QUEUED_BYTES_MAX;
  }

  async #run(): Promise<void> {
    try {
      while (!this.#queue.isEmpty) {
        await this.#awaitTurn();
        if (this.#options.abortSignal.aborted) break;
        await this.#sendNext();
        if (!this.#isFull) this.#releaseWaiters();
      }
    } finally {
      this.#loop = undefined;
      this.#releaseWaiters();
    }
  }

  /** Until the interval is over; a full queue and a flush do not wait, and they alone go beyond the budget. */
  async #awaitTurn(): Promise<void> {
    const { budget, clock } = this.#options;
    const mustHurry = () => this.#isFlushing || this.#isFull || this.#isAborted;
    while (!mustHurry()) {
      const waitMs = this.#nextAt - clock.now();
      if (waitMs <= 0 && budget.take()) return;
      this.#pause = new AbortController();
      await clock.sleep(waitMs > 0 ? waitMs : INTERVAL_MS_MAX, this.#pause.signal);
    }
  }

  async #sendNext(): Promise<void> {
    const { run, clock, sideBySide } = this.#options;
    const items = this.#queue.take();
    this.#seq += 1;
    await this.#deliver({ ...run, seq: this.#seq, items });
    this.#sent += 1;
    const interval = INTERVAL_MS * 2 ** Math.floor(this.#sent / SIGNALS_PER_INTERVAL);
    this.#nextAt = clock.now() + Math.min(interval, INTERVAL_MS_MAX) * Math.max(1, sideBySide);
  }

  /** The same `seq` again is harmless: the fold takes each once. */
  async #deliver(signal: ProgressSignal): Promise<void> {
    const { send, isFinal, onDropped, clock, abortSignal } = this.#options;
    for (let retryMs = RETRY_MS; ; retryMs = Math.min(retryMs * 2, RETRY_MS_MAX)) {
      try {
        await send(signal);
        return;
      } catch (error) {
        if (abortSignal.aborted) return;
        if (isFinal(error)) {
          onDropped(error);
          return;
        }
        await clock.sleep(retryMs, abortSignal);
      }
    }
  }

  #wake(): void {
    this.#pause.abort();
    this.#releaseWaiters();
  }

  #releaseWaiters(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const release of waiters) release();
  }
}

function abortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('The stage is over');
}
