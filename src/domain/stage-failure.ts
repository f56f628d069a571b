/** How a failed stage reads to the caller: a reason for programs, and a sentence that says no more than it may. */
export interface TaskFailure {
  readonly reason: string;
  readonly text: string;
  /** What operators see in Temporal's UI. */
  readonly detail: string;
}

export class TaskFailedError extends Error {
  readonly failure: TaskFailure;
  readonly state: 'TASK_STATE_FAILED' | 'TASK_STATE_REJECTED';

  constructor(failure: TaskFailure, state: 'TASK_STATE_FAILED' | 'TASK_STATE_REJECTED' = 'TASK_STATE_FAILED') {
    super(failure.detail);
    this.name = 'TaskFailedError';
    this.failure = failure;
    this.state = state;
  }
}
