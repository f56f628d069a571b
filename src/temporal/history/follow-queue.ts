import { Failure } from '../../domain/failure.ts';
import type { TaskFollowItem } from '../tasks/task-workflows.ts';

/** What may wait for one follower. */
export interface FollowQueueLimits {
  readonly itemsMax: number;
  /** UTF-16 units of the artifacts' text and raw content in what waits. */
  readonly charactersMax: number;
}

export const FOLLOW_QUEUE_LIMITS: FollowQueueLimits = { itemsMax: 1_000, charactersMax: 8_000_000 };

/** Items on their way to one follower. A follower that falls behind is ended: it must neither hold up others nor fill the memory. */
export class FollowQueue {
  readonly #limits: FollowQueueLimits;
  #items: { item: TaskFollowItem; characters: number }[] = [];
  #characters = 0;
  #isEnded = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(limits: FollowQueueLimits) {
    this.#limits = limits;
  }

  push(item: TaskFollowItem): void {
    if (this.#isEnded) return;
    const characters = charactersOf(item);
    const isFull =
      this.#items.length >= this.#limits.itemsMax ||
      (this.#items.length > 0 && this.#characters + characters > this.#limits.charactersMax);
    if (isFull) {
      this.fail(
        new Failure('busy', 'The reader is too slow for this stream; it can be resumed', { retryAfterSeconds: 1 }),
      );
      return;
    }
    this.#items.push({ item, characters });
    this.#characters += characters;
    if (item.isClosed) this.#isEnded = true;
    this.#wake?.();
  }

  /** Ends the follower at once: what waits is dropped. */
  fail(error: Error): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#error = error;
    this.#items = [];
    this.#wake?.();
  }

  /** The items in order, until the one that closes; ends early, and without an error, when `signal` aborts. */
  async *drain(signal: AbortSignal): AsyncGenerator<TaskFollowItem, void> {
    const wake = (): void => this.#wake?.();
    signal.addEventListener('abort', wake);
    try {
      while (!signal.aborted) {
        const next = this.#items.shift();
        if (next !== undefined) {
          this.#characters -= next.characters;
          yield next.item;
        } else if (this.#error !== undefined) {
          throw this.#error;
        } else if (this.#isEnded) {
          return;
        } else {
          const { promise, resolve } = Promise.withResolvers<undefined>();
          this.#wake = () => resolve(undefined);
          await promise;
        }
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }
}

function charactersOf({ shown }: TaskFollowItem): number {
  let characters = 0;
  for (const { event } of shown) {
    if (!('artifactUpdate' in event)) continue;
    for (const { text, raw } of event.artifactUpdate.artifact.parts) characters += (text ?? raw ?? '').length;
  }
  return characters;
}
