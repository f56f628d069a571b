import { setTimeout as delay } from 'node:timers/promises';
import type { FollowQueueLimits } from './follow-queue.ts';
import { FollowQueue } from './follow-queue.ts';
import type { FoldedEvent, HistoryFold } from './history-fold.ts';
import { foldEvent } from './history-fold.ts';
import type { HistoryPage } from './history-page.ts';
import { eventIdOf, readHistoryPage } from './history-page.ts';
import type { PollSlots } from './history-poll-slots.ts';
import type { ClosedTasks } from '../tasks/task-closed.ts';
import { describeTask } from '../tasks/task-description.ts';
import { isFailure } from '../tasks/task-failures.ts';
import { isWorthTelling, toFollowItem, toSnapshot } from './task-follow-item.ts';
import type { TaskTemporal } from '../tasks/task-temporal.ts';
import type { TaskFollowItem } from '../tasks/task-workflows.ts';

export interface TailDependencies {
  readonly temporal: TaskTemporal;
  readonly closedTasks: ClosedTasks;
  readonly slots: PollSlots;
  readonly queueLimits: FollowQueueLimits;
}

/** Temporal answers a poll after 20 s at the latest; one that has not answered by then is lost. */
const POLL_TIMEOUT_MS = 30_000;
const RETRY_MIN_MS = 100;
const RETRY_MAX_MS = 5_000;
/** Of failures in a row that are not Temporal's absence, such as a payload that is not in its store. */
const FAILURES_MAX = 8;

/**
 * The one tail of a task in this process: folds the task's history as it grows and tells all followers. Outlives
 * Temporal's absence, continue-as-new and an operator's reset; ends when the task has ended, or is gone.
 */
export class HistoryTail {
  readonly #taskId: string;
  readonly #dependencies: TailDependencies;
  readonly #queues = new Set<FollowQueue>();
  readonly #stop = new AbortController();
  /** The run that is read, and how far; what a new follower starts from may be a little behind. */
  #runId = '';
  #nextPageToken: Uint8Array | undefined;
  #fold: HistoryFold | undefined;
  /** The close of a run that was terminated, until it is certain that it was not a reset. */
  #unconfirmed: FoldedEvent | undefined;
  #told: HistoryFold | undefined;
  /** The run is not the task's any more: followers need a snapshot of the current one. */
  #isLost = false;

  constructor(taskId: string, dependencies: TailDependencies) {
    this.#taskId = taskId;
    this.#dependencies = dependencies;
  }

  /** Where the task stands by what all followers have been told; undefined before `open` is through. */
  get told(): HistoryFold | undefined {
    return this.#told;
  }

  /**
   * Reads where the task stands; or takes its `start` for that, when it is known to have begun a moment ago.
   * @throws {Failure} `task-not-found`, `unavailable`
   */
  async open(start?: HistoryFold): Promise<void> {
    if (start === undefined) return this.#catchUp();
    this.#enterRun(start.cursor.runId);
    this.#fold = start;
    this.#told = start;
  }

  /** Where the task stands, and a queue for all that comes after: nothing is lost or told twice between the two. */
  join(): { snapshot: TaskFollowItem; queue: FollowQueue } {
    if (this.#told === undefined) throw new Error('The tail is not open');
    const queue = new FollowQueue(this.#dependencies.queueLimits);
    this.#queues.add(queue);
    return { snapshot: toSnapshot(this.#told), queue };
  }

  leave(queue: FollowQueue): void {
    this.#queues.delete(queue);
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Follows the history until the task has ended or `stop` is called; never rejects. */
  async run(): Promise<void> {
    let failures = 0;
    while (!this.#isStopped() && this.#told?.end !== 'closed') {
      try {
        await this.#advance();
        failures = 0;
      } catch (error) {
        if (this.#isStopped()) return;
        failures++;
        const isGone = this.#isLost && isFailure(error, 'task-not-found');
        if (isGone || isHopeless(error, failures)) {
          this.#failAll(error);
          return;
        }
        this.#isLost ||= isFailure(error, 'task-not-found');
        // A token may be what is wrong; the fold knows what it holds, so reading again from the start does no harm.
        if (failures > 1) this.#nextPageToken = undefined;
        await this.#pause(retryDelayMs(failures));
      }
    }
  }

  #isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  async #advance(): Promise<void> {
    if (this.#isLost) return this.#startOver();
    if (this.#unconfirmed) return this.#confirmClose(this.#unconfirmed);
    const end = this.#fold?.end;
    if (typeof end === 'object') this.#enterRun(end.nextRunId);
    const page = await this.#poll();
    if (page === undefined) return;
    await this.#take(page, (before, folded) => {
      this.#told = folded.fold;
      if (isWorthTelling(before, folded)) this.#tell(toFollowItem(folded));
    });
    // No token, and yet not the end: Temporal was asked while it was about to close the run.
    if (page.nextPageToken === undefined && this.#fold?.end === undefined) await this.#pause(RETRY_MIN_MS);
  }

  /** A run that was terminated may have been reset: the task then goes on in another. */
  async #confirmClose(folded: FoldedEvent): Promise<void> {
    const current = await describeTask(this.#dependencies.temporal, this.#taskId);
    if (current.runId !== folded.fold.cursor.runId) {
      this.#isLost = true;
      return;
    }
    this.#told = folded.fold;
    this.#tell(toFollowItem(folded));
  }

  async #startOver(): Promise<void> {
    await this.#catchUp();
    this.#isLost = false;
    if (this.#told) this.#tell(toSnapshot(this.#told));
  }

  /** Folds what is there of the task's current run, and tells nobody. */
  async #catchUp(): Promise<void> {
    const { temporal, closedTasks } = this.#dependencies;
    do {
      const run = await describeTask(temporal, this.#taskId);
      this.#enterRun(run.runId);
      if (run.status === 'running') {
        await this.#readUpTo(run.lastEventId);
      } else {
        this.#fold = await closedTasks.read(this.#taskId, run);
        this.#runId = this.#fold.cursor.runId;
      }
    } while (this.#unconfirmed !== undefined); // ended meanwhile: what is the current run now?
    this.#told = this.#fold;
  }

  /** The events are there, so waiting for new ones gives them at once, and a token to wait with for what comes next. */
  async #readUpTo(lastEventId: number): Promise<void> {
    let eventId = 0;
    while (eventId < lastEventId && this.#fold?.end === undefined) {
      const page = await this.#readPage({});
      await this.#take(page);
      const last = page.events.at(-1);
      eventId = last === undefined ? lastEventId : Math.max(eventId, eventIdOf(last));
    }
  }

  #enterRun(runId: string): void {
    this.#runId = runId;
    this.#nextPageToken = undefined;
    this.#fold = undefined;
    this.#unconfirmed = undefined;
  }

  /** One long poll; undefined when its place was needed by others. */
  async #poll(): Promise<HistoryPage | undefined> {
    using slot = await this.#dependencies.slots.acquire(this.#stop.signal);
    try {
      const signal = AbortSignal.any([this.#stop.signal, slot.yieldSignal]);
      return await this.#readPage({ timeoutMs: POLL_TIMEOUT_MS, signal });
    } catch (error) {
      if (slot.yieldSignal.aborted) return undefined;
      throw error;
    }
  }

  #readPage(limits: { timeoutMs?: number; signal?: AbortSignal }): Promise<HistoryPage> {
    return readHistoryPage(this.#dependencies.temporal, {
      taskId: this.#taskId,
      runId: this.#runId,
      wait: true,
      ...(this.#nextPageToken && { nextPageToken: this.#nextPageToken }),
      ...limits,
    });
  }

  async #take(page: HistoryPage, tell?: (before: HistoryFold | undefined, folded: FoldedEvent) => void): Promise<void> {
    for (const event of page.events) {
      const before = this.#fold;
      const folded = await foldEvent(before, this.#runId, event, this.#dependencies.temporal.payloads);
      if (folded === undefined) continue;
      this.#fold = folded.fold;
      if (folded.fold.isTerminated) this.#unconfirmed = folded;
      else tell?.(before, folded);
    }
    // Only now: a page that could not be folded to its end is read again.
    this.#nextPageToken = page.nextPageToken;
  }

  #tell(item: TaskFollowItem): void {
    for (const queue of this.#queues) queue.push(item);
  }

  #failAll(error: unknown): void {
    const reason = error instanceof Error ? error : new Error(String(error));
    for (const queue of this.#queues) queue.fail(reason);
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }
}

function isHopeless(error: unknown, failures: number): boolean {
  return (
    failures >= FAILURES_MAX &&
    !isFailure(error, 'task-not-found') &&
    !isFailure(error, 'unavailable') &&
    !isFailure(error, 'busy')
  );
}

function retryDelayMs(failures: number): number {
  return Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
}
