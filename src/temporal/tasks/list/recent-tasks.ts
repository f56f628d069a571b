import { LRUCache } from 'lru-cache';
import { type Owner, ownerKey } from '../../../domain/owner.ts';

/** Visibility has caught up with what is older. */
const KEPT_MS = 60_000;
const ENTRIES_MAX = 10_000;

/** Tasks that this process has moved, or seen move, a moment ago: lists may not know yet. */
export class RecentTasks {
  readonly #owners = new LRUCache<string, string>({ max: ENTRIES_MAX, ttl: KEPT_MS });

  add(taskId: string, owner: Owner): void {
    this.#owners.set(taskId, ownerKey(owner));
  }

  /** The newest first. */
  of(owner: Owner): readonly string[] {
    return [...this.#owners.entries()].filter(([, each]) => each === ownerKey(owner)).map(([taskId]) => taskId);
  }
}
