import type { TaskView } from '../domain/task-fold.ts';
import { isTerminal } from '../domain/task-state.ts';

/** How far a message to a task has come: what it was about no longer counts as something that waits. */
export interface Progressed {
  /** The question that it answered. */
  readonly answeredRequestId?: string;
  /** When the task asked for the authorisation that the message may bring: `status.timestamp`. */
  readonly authAskedAt?: string;
}

/** Nothing more will come, or not before the caller has acted (A2A 1.0 §3.2.2). */
export function isCallersTurn(view: TaskView, progressed: Progressed = {}): boolean {
  const { state, timestamp } = view.task.status;
  if (isTerminal(state)) return true;
  if (state === 'TASK_STATE_AUTH_REQUIRED') return timestamp !== progressed.authAskedAt;
  if (state !== 'TASK_STATE_INPUT_REQUIRED') return false;
  return view.questions.some(
    ({ callerAnswerable, requestId }) => callerAnswerable && requestId !== progressed.answeredRequestId,
  );
}
