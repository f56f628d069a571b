/** A place for one long poll. Dispose it when the poll is over. */
export interface PollSlot extends Disposable {
  /** Aborts when others have waited long enough for a place: give it up and queue again. */
  readonly yieldSignal: AbortSignal;
}

interface Holder {
  since: number;
  readonly controller: AbortController;
}

const TURN_MS = 250;

/**
 * Keeps the number of simultaneous long polls under what Temporal's frontend admits (`frontend.namespaceCount`). With more
 * tails than places they take turns, so that each of them lags a little and none is left out.
 */
export class PollSlots {
  readonly #size: number;
  readonly #holders = new Set<Holder>(); // in the order in which they got their place
  readonly #waiters = new Set<() => void>();
  #turns: NodeJS.Timeout | undefined;

  constructor(size: number) {
    this.#size = size;
  }

  /** Rejects with the signal's reason when it aborts. */
  async acquire(signal: AbortSignal): Promise<PollSlot> {
    signal.throwIfAborted();
    const holder: Holder = { since: Date.now(), controller: new AbortController() };
    if (this.#holders.size < this.#size && this.#waiters.size === 0) this.#holders.add(holder);
    else await this.#wait(holder, signal);
    return {
      yieldSignal: holder.controller.signal,
      [Symbol.dispose]: () => {
        if (this.#holders.delete(holder)) this.#admitNext();
      },
    };
  }

  /** Fulfils when the holder has its place. */
  #wait(holder: Holder, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const admit = (): void => {
      signal.removeEventListener('abort', abandon);
      holder.since = Date.now();
      this.#holders.add(holder);
      resolve(undefined);
    };
    const abandon = (): void => {
      this.#waiters.delete(admit);
      this.#stopTurnsWithoutWaiters();
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abandon, { once: true });
    this.#waiters.add(admit);
    this.#turns ??= setInterval(() => this.#takeTurns(), TURN_MS).unref();
    return promise;
  }

  #admitNext(): void {
    const [admit] = this.#waiters;
    if (admit === undefined) return;
    this.#waiters.delete(admit);
    admit();
    this.#stopTurnsWithoutWaiters();
  }

  #stopTurnsWithoutWaiters(): void {
    if (this.#waiters.size > 0) return;
    clearInterval(this.#turns);
    this.#turns = undefined;
  }

  /** Those that have had their place the longest make room for those that wait. */
  #takeTurns(): void {
    const before = Date.now() - TURN_MS;
    let wanted = this.#waiters.size;
    for (const { since, controller } of this.#holders) {
      if (wanted === 0 || since > before) return;
      controller.abort();
      wanted--;
    }
  }
}
