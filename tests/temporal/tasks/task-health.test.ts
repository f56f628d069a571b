import { expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { createTaskRig } from './task-rig.ts';

it('counts the workers that poll the task queue', async () => {
  await using rig = await createTaskRig();
  expect(await rig.tasks.health()).toEqual({ isTemporalUp: true, workers: 0 });
  await using _worker = await rig.startWorker(async () => ({ outcome: 'rejected', message: '' }));
  await eventually(async () => (await rig.tasks.health()).workers === 1);
});
