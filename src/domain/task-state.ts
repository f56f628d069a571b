import type { TaskState } from './a2a.ts';

/** A2A 1.0 §4.1.3. A state with no successor is terminal. */
const NEXT_STATES: Readonly<Record<TaskState, readonly TaskState[]>> = {
  TASK_STATE_SUBMITTED: [
    'TASK_STATE_WORKING',
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_AUTH_REQUIRED',
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_CANCELED',
    'TASK_STATE_REJECTED',
  ],
  TASK_STATE_WORKING: [
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_AUTH_REQUIRED',
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_CANCELED',
    'TASK_STATE_REJECTED',
  ],
  TASK_STATE_INPUT_REQUIRED: [
    'TASK_STATE_WORKING',
    'TASK_STATE_AUTH_REQUIRED',
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_CANCELED',
    'TASK_STATE_REJECTED',
  ],
  TASK_STATE_AUTH_REQUIRED: [
    'TASK_STATE_WORKING',
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_CANCELED',
    'TASK_STATE_REJECTED',
  ],
  TASK_STATE_COMPLETED: [],
  TASK_STATE_FAILED: [],
  TASK_STATE_CANCELED: [],
  TASK_STATE_REJECTED: [],
};

export function isTerminal(state: TaskState): boolean {
  return NEXT_STATES[state].length === 0;
}

/** The caller must act before the task can go on: a blocking send and a send's own stream end here (A2A 1.0 §3.2.2). */
export function isCallersMove(state: TaskState): boolean {
  return state === 'TASK_STATE_INPUT_REQUIRED' || state === 'TASK_STATE_AUTH_REQUIRED';
}

/** Staying in a state is always legal, except that a terminal one takes nothing more. */
export function canBecome(from: TaskState, to: TaskState): boolean {
  return !isTerminal(from) && (from === to || NEXT_STATES[from].includes(to));
}
