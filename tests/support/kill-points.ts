/** The steps of a task's life, and how each is held just before, within and just after it, from outside. */
import type { HeldCall } from './grpc-proxy.ts';
import { answerIdOf, answerTo } from './task-life.ts';

export const PROCESSES = ['gateway', 'worker', 'temporal'] as const;
export type Victim = (typeof PROCESSES)[number];

/**
 * `before`: what makes the step is on its way to Temporal, and never was there; `during`: Temporal has it, and who sent it does
 * not know; `after`: it knows, and the next step has not begun.
 */
export const MOMENTS = ['before', 'during', 'after'] as const;
export type Moment = (typeof MOMENTS)[number];

/** Where a life stands when it is struck. */
export interface KillPoint {
  /** Calls that are held. The first is waited for. */
  readonly held?: readonly (HeldCall & { readonly of: 'gateway' | 'worker' })[];
  /** A gate at which a stage waits. */
  readonly gate?: string;
  /** What the caller has seen by then. */
  readonly seen?: 'started' | 'working' | 'asked' | 'answered' | 'completed' | 'over';
  /** The caller keeps back the answer until after the strike. */
  readonly isUnanswered?: boolean;
}

interface Write {
  readonly of: 'gateway' | 'worker';
  readonly method: string;
  readonly contains?: string;
}

/** Before and within a step are the two sides of the call that makes it. */
function aroundWrite(write: Write, after: KillPoint, always: KillPoint = {}): Readonly<Record<Moment, KillPoint>> {
  return {
    before: { ...always, held: [{ ...write, at: 'call' }] },
    during: { ...always, held: [{ ...write, at: 'reply' }] },
    after,
  };
}

const WORKFLOW_TASK_DONE = 'RespondWorkflowTaskCompleted';
const STAGE_DONE = 'RespondActivityTaskCompleted';
const END: Write = { of: 'worker', method: WORKFLOW_TASK_DONE, contains: 'TASK_STATE_COMPLETED' };

/** By the life's name, which its message and its answers carry. */
export function killPoints(name: string) {
  return {
    started: aroundWrite(
      { of: 'gateway', method: 'StartWorkflowExecution', contains: name },
      { held: [{ of: 'worker', method: 'PollWorkflowTaskQueue', contains: name, at: 'reply' }], seen: 'started' },
    ),
    'first workflow task': aroundWrite(
      { of: 'worker', method: WORKFLOW_TASK_DONE, contains: 'TASK_STATE_WORKING' },
      { gate: 'work', seen: 'working' },
    ),
    'activity running': aroundWrite(
      { of: 'worker', method: 'RecordActivityTaskHeartbeat' },
      // A second beat goes out only when the first has had its reply.
      { held: [{ of: 'worker', method: 'RecordActivityTaskHeartbeat', at: 'call', skip: 1 }], gate: 'work' },
      { gate: 'work' },
    ),
    'progress in flight': aroundWrite(
      { of: 'worker', method: 'SignalWorkflowExecution', contains: 'half way' },
      { gate: 'worked' },
    ),
    'question asked': aroundWrite(
      { of: 'worker', method: WORKFLOW_TASK_DONE, contains: 'TASK_STATE_INPUT_REQUIRED' },
      { seen: 'asked', isUnanswered: true },
    ),
    'answer accepted': aroundWrite(
      { of: 'gateway', method: 'SignalWorkflowExecution', contains: answerIdOf('colour', name) },
      {
        held: [{ of: 'worker', method: 'PollWorkflowTaskQueue', contains: answerIdOf('colour', name), at: 'reply' }],
        seen: 'answered',
      },
    ),
    'stage finished': aroundWrite(
      { of: 'worker', method: STAGE_DONE, contains: `heard ${answerTo('colour', name)}` },
      // That of the first stage goes through.
      { held: [{ of: 'worker', method: WORKFLOW_TASK_DONE, contains: 'run-closed', at: 'call', skip: 1 }] },
    ),
    // Into the store: Temporal hears of it with the end of the stage.
    'artifact written': {
      before: { gate: 'write' },
      during: { gate: 'written' },
      after: { held: [{ of: 'worker', method: STAGE_DONE, contains: 'report.md', at: 'reply' }] },
    },
    closing: aroundWrite(END, {
      held: [{ of: 'gateway', method: 'GetWorkflowExecutionHistory', contains: 'TASK_STATE_COMPLETED', at: 'reply' }],
    }),
    closed: {
      before: {
        held: [
          { of: 'gateway', method: 'GetWorkflowExecutionHistory', contains: 'TASK_STATE_COMPLETED', at: 'reply' },
          { ...END, at: 'reply' },
        ],
      },
      during: { held: [{ ...END, at: 'reply' }], seen: 'completed' },
      after: { seen: 'over' },
    },
  } as const satisfies Readonly<Record<string, Readonly<Record<Moment, KillPoint>>>>;
}

export type Step = keyof ReturnType<typeof killPoints>;
export const STEPS = Object.keys(killPoints('')) as readonly Step[];
