/** All three processes killed at once, at the points of a task's life that tell most. Every point by itself: tests/soak/kill-matrix.test.ts. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { killPoints, type Moment, PROCESSES, type Step } from '../support/kill-points.ts';
import { type KillStand, startKillStand } from '../support/kill-stand.ts';

const LIMIT_MS = 180_000;

const TELLING: readonly (readonly [Moment, Step])[] = [
  ['during', 'started'],
  ['during', 'answer accepted'],
  ['before', 'stage finished'],
  ['during', 'closing'],
];

// Within a block, so that the stand is gone before the file is asked what it leaves open.
describe('gateway, worker and Temporal are killed at once', () => {
  let stand: KillStand;

  beforeAll(async () => {
    stand = await startKillStand();
  }, LIMIT_MS);

  afterAll(async () => {
    await stand[Symbol.asyncDispose]();
  }, LIMIT_MS);

  it.each(TELLING)(
    '%s %s: one workflow, each event once, each answer taken once, the right end',
    async (moment, step) => {
      const name = `${step.replaceAll(' ', '-')}.${moment}.all`;
      await stand.strike(name, killPoints(name)[step][moment], PROCESSES);
    },
    LIMIT_MS,
  );

  it('there are as many task workflows as messages', async () => {
    await eventually(async () => (await stand.tasks()) >= TELLING.length);
    expect(await stand.tasks()).toBe(TELLING.length);
  });
});
