/** What the rest of the product may do with task workflows. `createTaskWorkflows` is the real one. */
import type { StreamResponse } from '../../domain/a2a.ts';
import type { TaskView } from '../../domain/task-fold.ts';
import type { MessageSignal } from '../../domain/task-log.ts';
import type { ListRequest, TaskPage } from './list/list-page.ts';
import type { TaskInput, TaskStartMemo } from '../../../workflows/task-contract.ts';

export interface TaskWorkflows {
  /**
   * Starts the task's workflow, once for its ID ever: `isNew: false` tells that it was there before, running or closed, and
   * `memo` is then what the first start wrote.
   * @throws {Failure} `unavailable` when Temporal does not answer within the limit.
   */
  start(input: TaskInput, memo: TaskStartMemo): Promise<{ isNew: boolean; memo: TaskStartMemo }>;

  /** Who started the task; undefined when there is none. Never changes, so it is cached. */
  startMemo(taskId: string): Promise<TaskStartMemo | undefined>;

  /**
   * The task as it is now: by query when it runs, by its history when no worker answers or it has ended.
   * @param options `maxAgeMs`: a task that has ended may be shown as it was so long ago, if an operator has reset it since; 0 unless said
   * @throws {Failure} `task-not-found`, `unavailable`
   */
  read(taskId: string, options?: { readonly maxAgeMs?: number }): Promise<TaskView>;

  /** @throws {Failure} `task-not-found`; `unsupported-operation` when the task has ended; `unavailable` */
  sendMessage(taskId: string, signal: MessageSignal): Promise<void>;

  /** Asks Temporal to cancel the workflow. Harmless when it has ended. */
  requestCancel(taskId: string): Promise<void>;

  /**
   * Follows the task. The first item is where it stands (`shown` empty) or, with a valid `after`, starts right behind that cursor;
   * then one item for each history event that shows something or changes the view. Ends after the item with `isClosed`, or when `signal` aborts.
   * All followers of a task in this process share one long poll.
   */
  follow(taskId: string, options: FollowOptions): AsyncIterable<TaskFollowItem>;

  /**
   * A page of a caller's tasks, the newest status first. As fresh as Temporal's visibility; what this process has moved, and each
   * task that is shown, are as they are now.
   * @throws {Failure} `busy` when the namespace's limit on such requests is reached; `unavailable`
   */
  list(request: ListRequest): Promise<TaskPage>;

  /** All open questions of all tasks, for operators; as fresh as Temporal's visibility. */
  listOpenQuestions(): Promise<readonly OpenQuestion[]>;

  /**
   * Whether workers are there for the task at this moment, within four seconds; also true of a task that has ended. Exact, where the
   * count of pollers in `health` holds a killed worker for more than a minute. Never throws: without Temporal nobody is there.
   */
  isServed(taskId: string): Promise<boolean>;

  /** Whether Temporal answers, and how many workers poll the task queue. */
  health(): Promise<{ isTemporalUp: boolean; workers: number }>;
}

export interface FollowOptions {
  readonly after?: string;
  readonly signal: AbortSignal;
  /** For whoever has just started it, and has not looked at it since: the first item is its start. */
  readonly isNew?: boolean;
}

export interface TaskFollowItem {
  readonly view: TaskView;
  readonly shown: readonly ShownEvent[];
  /** Whether the workflow has ended: no item follows. */
  readonly isClosed: boolean;
  /** Whether this item is the snapshot that a follower without a (valid) cursor starts from. */
  readonly isSnapshot: boolean;
  /** Cursor of this item as a whole. */
  readonly cursor: string;
}

/** `cursor` is the SSE `id:`: `<runId>.<eventId>.<index>`. */
export interface ShownEvent {
  readonly cursor: string;
  readonly event: StreamResponse;
}

export interface OpenQuestion {
  readonly taskId: string;
  readonly contextId: string;
  readonly caller: string;
  readonly publication: string;
  readonly requestId: string;
  readonly stageId: string;
  readonly element?: number;
  readonly kind: string;
  readonly message: string;
  readonly callerAnswerable: boolean;
  readonly askedAt: string;
}
