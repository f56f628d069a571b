import { LRUCache } from 'lru-cache';

/** Visibility has caught up with what is older. */
const KEPT_MS = 60_000;
const ENTRIES_MAX = 10_000;

/** Tasks that this process has moved, or seen move, a moment ago: lists may not know yet. */
export class RecentTasks {
  readonly #callers = new LRUCache<string, string>({ max: ENTRIES_MAX, ttl: KEPT_MS });

  add(taskId: string, caller: string): void {
    this.#callers.set(taskId, caller);
  }

  /** The newest first. */
  of(caller: string): readonly string[] {
    return [...this.#callers.entries()].filter(([, each]) => each === caller).map(([taskId]) => taskId);
  }
}
