import { Failure } from '../domain/failure.ts';

export interface CallLaneOptions {
  /** Calls at the same time. */
  readonly size: number;
  /** How long a call may wait for its turn. */
  readonly waitMs: number;
}

interface Waiter {
  readonly begin: () => void;
  readonly fail: (error: Failure) => void;
}

/**
 * Lets only so many calls be under way at the same time: a server that gets more than it can do at once does none of them in time. The
 * others wait for their turn, but not for a server that is away: when calls fail as `unavailable` and none succeeds, all that wait fail, too.
 */
export class CallLane {
  readonly #options: CallLaneOptions;
  readonly #waiters = new Set<Waiter>(); // in the order in which they came
  #active = 0;
  #lastSuccessAt = 0;

  constructor(options: CallLaneOptions) {
    this.#options = options;
  }

  /** @throws {Failure} `busy` when its turn does not come in time; what the call throws */
  async run<T>(call: () => Promise<T>): Promise<T> {
    await this.#turn();
    const begunAt = performance.now();
    try {
      const result = await call();
      this.#lastSuccessAt = performance.now();
      return result;
    } catch (error) {
      const isUnavailable = error instanceof Failure && error.kind === 'unavailable';
      // Any other failure is an answer.
      if (!isUnavailable) this.#lastSuccessAt = performance.now();
      else if (this.#lastSuccessAt < begunAt) this.#failAll(error);
      throw error;
    } finally {
      this.#active -= 1;
      this.#next();
    }
  }

  async #turn(): Promise<void> {
    if (this.#active < this.#options.size && this.#waiters.size === 0) {
      this.#active += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const waiter: Waiter = { begin: () => resolve(undefined), fail: reject };
    const limit = setTimeout(() => {
      this.#waiters.delete(waiter); // at once: it must not be given a place that it does not take
      reject(tooMany());
    }, this.#options.waitMs);
    this.#waiters.add(waiter);
    try {
      await promise;
    } finally {
      clearTimeout(limit);
    }
  }

  /** The place is the waiter's from here on. */
  #next(): void {
    const [waiter] = this.#waiters;
    if (waiter === undefined || this.#active >= this.#options.size) return;
    this.#waiters.delete(waiter);
    this.#active += 1;
    waiter.begin();
  }

  #failAll(error: Failure): void {
    for (const waiter of this.#waiters) waiter.fail(error);
    this.#waiters.clear();
  }
}

function tooMany(): Failure {
  return new Failure('busy', 'Too many requests at the same time', { retryAfterSeconds: 1 });
}
