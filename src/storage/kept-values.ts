import { LRUCache } from 'lru-cache';
import type { KeptRef } from '../domain/kept.ts';
import type { PayloadStore } from './payload-store.ts';

/** What many stage runs are given at the same time is read once. */
const CACHE_CHARACTERS_MAX = 64_000_000;

/** Large JSON values of tasks, in the payload store: workflows hold only references to them. */
export interface KeptValues {
  /** Returns when it is on disk. @throws as the store does */
  put(json: string): Promise<KeptRef>;
  /** The JSON. @throws as the store does */
  get(ref: KeptRef): Promise<string>;
}

export function createKeptValues(store: PayloadStore): KeptValues {
  const texts = new LRUCache<string, string>({
    maxSize: CACHE_CHARACTERS_MAX,
    sizeCalculation: ({ length }) => length + 1,
    fetchMethod: async (sha256) => Buffer.from(await store.get(sha256)).toString('utf8'),
  });
  return {
    async put(json) {
      const content = Buffer.from(json);
      return { sha256: await store.put(content), bytes: content.byteLength };
    },
    get: ({ sha256 }) => texts.forceFetch(sha256),
  };
}
