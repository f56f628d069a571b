/** What the delivery workflow hands to the activity that sends a webhook its notifications, and what it gets back. */

/** How far a webhook has been told. */
export interface PushPlace {
  /** Cursor of the last event that it has taken; the next one is behind it. */
  readonly at: string;
  /** False before the first notification, which is the task as it was at `at`. */
  readonly hasBegun: boolean;
}

export interface PushRound extends PushPlace {
  readonly taskId: string;
  readonly webhookId: string;
  /** The round ends when the webhook is another, or gone. */
  readonly fingerprint: string;
  /** True: goes on for as long as things happen. False: sends what is there by now, and is sure that it was all. */
  readonly isLive: boolean;
}

export interface PushRoundEnd extends PushPlace {
  readonly delivered: number;
  readonly end:
    | 'idle' // nothing has happened for some time
    | 'more' // there is more to send, or to wait for: begin another round
    | 'task-ended' // all is delivered
    | 'removed' // the webhook is gone, or another
    | 'failed';
  readonly failure?: PushFailure;
}

export interface PushFailure {
  /** For operators: `HTTP 500`, `no answer within 15 s`. Holds no secret. */
  readonly reason: string;
  /** No further attempt makes sense. */
  readonly isFinal: boolean;
  readonly retryAfterMs?: number;
}

export type DeliverPushEvents = (round: PushRound) => Promise<PushRoundEnd>;

/**
 * Returns when the task has ended, however that came about, or goes on in another run, as after an operator's reset; until then
 * it is tried again now and then.
 */
export type AwaitTaskTurn = (taskId: string) => Promise<'ended' | 'moved'>;
