import { expect, it } from '@jest/globals';
import { closeStage, emptyRun, openStage, withElement } from '../../src/domain/pipeline-run.ts';
import { InputRoom } from '../../workflows/input-room.ts';
import { stageOf } from '../support/task-rig.ts';

const list = stageOf('list');
const each = stageOf('each', { needs: ['list'], forEach: '/list/payload' });
const pipeline = { id: 'p', stages: [list, each] };

/** How many of the elements may start together. */
function started(payload: readonly string[]): number {
  const envelope = { summary: '', payload, artifacts: [] };
  let run = withElement(openStage(emptyRun, list), { stageId: 'list' }, { phase: 'done', envelope });
  run = openStage(closeStage(run, list), each);
  const room = new InputRoom(pipeline);
  return payload.filter((_, element) => room.take(each, { stageId: 'each', element }, run)).length;
}

it.each([
  ['all elements of a small list', Array<string>(100).fill('x'), 100],
  ['a few of a large one', Array<string>(20).fill('x'.repeat(50_000)), 3],
  ['one, whose input is too large by itself', Array<string>(3).fill('x'.repeat(3_000_000)), 1],
])('has room for %s', (_name, payload, count) => {
  expect(started(payload)).toBe(count);
});
