/** As tests/cases/b25-two-messages-at-once.test.ts, fifty times over. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from '@jest/globals';
import { answerTwiceAtOnce, FOLLOWING, sendFiveThatAreQueued, sendFiveThatAreRefused } from '../support/at-once.ts';
import { sharedDeployment } from '../support/deployment.ts';

const deployment = sharedDeployment({
  gateways: 2,
  workers: 2,
  publications: FOLLOWING,
  files: { 'following.ts': readFileSync(join(import.meta.dirname, '../fixtures/following-executor.ts'), 'utf8') },
});

it.each(Object.entries({ answerTwiceAtOnce, sendFiveThatAreRefused, sendFiveThatAreQueued }))(
  '%s, fifty times',
  async (name, round) => {
    const begunAt = performance.now();
    for (let count = 1; count <= 50; count += 1) await round(deployment());
    console.info(`50 times ${name} in ${Math.round((performance.now() - begunAt) / 1000)} s`);
  },
);
