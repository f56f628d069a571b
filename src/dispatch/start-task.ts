/** The one way in which work starts. */
import type { Message } from '../domain/a2a.ts';
import type { TaskView } from '../domain/task-fold.ts';

export interface StartTaskRequest {
  /** ID of the caller, already authenticated. */
  readonly caller: string;
  /** One of the caller's; absent: in no tenant. */
  readonly tenant?: string;
  /** Already valid; `contextId` may be absent. */
  readonly message: Message;
  /** From an `Idempotency-Key` header or message metadata of that name: takes the messageId's place in the key. */
  readonly idempotencyKey?: string;
}

export interface StartedTask {
  readonly taskId: string;
  readonly contextId: string;
  /** False: the same message came before, and this is its task. */
  readonly isNew: boolean;
  /** A new task as it was started: to be told without asking Temporal for it. */
  readonly view?: TaskView;
}

/** @throws {Failure} `invalid-request` (no or several publications fit), `message-conflict`, `unavailable` */
export type StartTask = (request: StartTaskRequest) => Promise<StartedTask>;
