import { describe, expect, it } from '@jest/globals';
import type { TaskState } from '../../src/domain/a2a.ts';
import { canBecome, isCallersMove, isTerminal } from '../../src/domain/task-state.ts';

const OPEN: readonly TaskState[] = [
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_AUTH_REQUIRED',
];
const ENDED: readonly TaskState[] = [
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
];
const ALL = [...OPEN, ...ENDED];

describe('task states', () => {
  it.each(OPEN)('%s may end in any way, and stay', (state) => {
    expect(isTerminal(state)).toBe(false);
    expect([...ENDED, state].filter((next) => !canBecome(state, next))).toEqual([]);
  });

  it.each(ENDED)('%s takes nothing more, not even itself', (state) => {
    expect(isTerminal(state)).toBe(true);
    expect(ALL.filter((next) => canBecome(state, next))).toEqual([]);
  });

  it.each(OPEN.slice(1))('%s does not become SUBMITTED again', (state) => {
    expect(canBecome(state, 'TASK_STATE_SUBMITTED')).toBe(false);
  });

  it('is the move of the caller while it must answer or authorise', () => {
    expect(ALL.filter(isCallersMove)).toEqual(['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_AUTH_REQUIRED']);
  });
});
