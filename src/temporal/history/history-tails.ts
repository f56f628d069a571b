import { LRUCache } from 'lru-cache';
import type { TaskInput } from '../../../workflows/task-contract.ts';
import type { FollowQueue } from './follow-queue.ts';
import type { HistoryFold } from './history-fold.ts';
import { startOfHistory } from './history-fold.ts';
import type { TailDependencies } from './history-tail.ts';
import { HistoryTail } from './history-tail.ts';
import { describeTask } from '../tasks/task-description.ts';
import type { TaskFollowItem } from '../tasks/task-workflows.ts';

/** Who starts a task mostly follows it at once. */
const EXPECTED_MAX = 100;
const EXPECTED_MS = 2_000;

export interface TailSubscription extends Disposable {
  /** Where the task stood at the moment of joining; the queue has all that came after. */
  readonly snapshot: TaskFollowItem;
  readonly queue: FollowQueue;
}

interface SharedTail {
  readonly tail: HistoryTail;
  readonly opened: Promise<void>;
  followers: number;
}

/** The tails of this process: one for each task that someone follows, for as long as someone does. */
export class HistoryTails {
  readonly #dependencies: TailDependencies;
  readonly #tails = new Map<string, SharedTail>();
  readonly #expected = new LRUCache<string, HistoryFold>({ max: EXPECTED_MAX, ttl: EXPECTED_MS });

  constructor(dependencies: TailDependencies) {
    this.#dependencies = dependencies;
  }

  /** Of a task that was started this moment: its starter need not ask Temporal where it stands. */
  expect(input: TaskInput, runId: string): void {
    this.#expected.set(input.taskId, startOfHistory(input, runId));
  }

  /** @throws {Failure} `task-not-found`, `unavailable`; the signal's reason when it aborts */
  async join(taskId: string, signal: AbortSignal, { isNew = false } = {}): Promise<TailSubscription> {
    const start = isNew ? this.#expected.get(taskId) : undefined;
    this.#expected.delete(taskId);
    const known = this.#tails.get(taskId);
    const shared = known ?? this.#open(taskId, start);
    shared.followers++;
    try {
      // A tail waits in silence, also for a Temporal that is away: who comes now is told so, and not how things stood before.
      if (known !== undefined) await describeTask(this.#dependencies.temporal, taskId);
      await untilAborted(shared.opened, signal);
    } catch (error) {
      this.#release(taskId, shared);
      throw error;
    }
    const { snapshot, queue } = shared.tail.join();
    return {
      snapshot,
      queue,
      [Symbol.dispose]: () => {
        shared.tail.leave(queue);
        this.#release(taskId, shared);
      },
    };
  }

  /** The tasks that are followed at this moment, as they stand. */
  *told(): Generator<HistoryFold> {
    for (const { tail } of this.#tails.values()) {
      if (tail.told) yield tail.told;
    }
  }

  #open(taskId: string, start: HistoryFold | undefined): SharedTail {
    const tail = new HistoryTail(taskId, this.#dependencies);
    const shared: SharedTail = { tail, opened: tail.open(start), followers: 0 };
    this.#tails.set(taskId, shared);
    // The tail runs by itself from here on, and whoever comes after its end opens another.
    void shared.opened
      .then(() => tail.run())
      .catch(() => undefined) // told to those who wait for `opened`
      .finally(() => this.#forget(taskId, shared));
    return shared;
  }

  #release(taskId: string, shared: SharedTail): void {
    shared.followers--;
    if (shared.followers > 0) return;
    shared.tail.stop();
    this.#forget(taskId, shared);
  }

  #forget(taskId: string, shared: SharedTail): void {
    if (this.#tails.get(taskId) === shared) this.#tails.delete(taskId);
  }
}

async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
