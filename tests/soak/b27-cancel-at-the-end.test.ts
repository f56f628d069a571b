import { expect, it } from '@jest/globals';
import { raceCancelAgainstCompletion } from '../support/cancel-race.ts';
import { sharedDeployment } from '../support/deployment.ts';
import { WATCHED } from '../support/watched-stages.ts';

const deployment = sharedDeployment({ ...WATCHED, gateways: 2 });

it('200 cancels at the very moment of completion have one outcome each, and both outcomes occur', async () => {
  const ends = await raceCancelAgainstCompletion(deployment(), 200);
  process.stdout.write(`${JSON.stringify(ends)}\n`);
  expect(ends).toEqual({ TASK_STATE_CANCELED: expect.any(Number), TASK_STATE_COMPLETED: expect.any(Number) });
});
