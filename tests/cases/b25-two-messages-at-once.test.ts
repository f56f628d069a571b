/** Messages that meet: none is lost, none is taken twice, and a task never does two things at once. */
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

it('of two different answers at once one is heard, and the other is refused', async () => {
  for (let round = 1; round <= 5; round += 1) await answerTwiceAtOnce(deployment());
});

it('messages to a stage that takes none are refused, one by one', async () => {
  await sendFiveThatAreRefused(deployment());
});

it('messages to a stage that takes follow-ups are read once each, in the order of their acceptance', async () => {
  for (let round = 1; round <= 2; round += 1) await sendFiveThatAreQueued(deployment());
});
