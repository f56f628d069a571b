/** As tests/cases/b03-twenty-at-once.test.ts, twenty times over, with three gateways and three workers. */
import { expect, it } from '@jest/globals';
import { sendTwentyAtOnce } from '../support/at-once.ts';
import { sharedDeployment } from '../support/deployment.ts';

const deployment = sharedDeployment({ gateways: 3, workers: 3 });

it('twenty identical blocking sends over three gateways are one task, every time', async () => {
  const begunAt = performance.now();
  for (let round = 1; round <= 20; round += 1) await sendTwentyAtOnce(deployment(), 3, 'sleep 3');
  console.info(`20 rounds of 20 sends in ${Math.round((performance.now() - begunAt) / 1000)} s`);
  expect(await deployment().calls({ event: 'run' })).toHaveLength(20);
});
