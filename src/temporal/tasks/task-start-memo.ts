import { LRUCache } from 'lru-cache';
import type { TaskStartMemo } from '../../../workflows/task-contract.ts';
import { describeTask } from './task-description.ts';
import { isFailure } from './task-failures.ts';
import type { TaskTemporal } from './task-temporal.ts';

const ENTRIES_MAX = 10_000;
/** A start never changes, but Temporal deletes what has ended long ago, and the ID may then be used again. */
const KEPT_MS = 3_600_000;

/** Who started a task, and with what. */
export class StartMemos {
  readonly #temporal: TaskTemporal;
  readonly #memos = new LRUCache<string, TaskStartMemo>({ max: ENTRIES_MAX, ttl: KEPT_MS });

  constructor(temporal: TaskTemporal) {
    this.#temporal = temporal;
  }

  /** Undefined when there is no such task, which may change at any time. @throws {Failure} `unavailable` */
  async get(taskId: string): Promise<TaskStartMemo | undefined> {
    const kept = this.#memos.get(taskId);
    if (kept !== undefined) return kept;
    try {
      const { memo } = await describeTask(this.#temporal, taskId);
      const start = memo['start'];
      if (start === undefined) return undefined;
      const decoded = (await this.#temporal.payloads.decodeFirst([start])) as TaskStartMemo;
      this.#memos.set(taskId, decoded);
      return decoded;
    } catch (error) {
      if (isFailure(error, 'task-not-found')) return undefined;
      throw error;
    }
  }

  set(taskId: string, memo: TaskStartMemo): void {
    this.#memos.set(taskId, memo);
  }
}
