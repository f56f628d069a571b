/** Every step of a task's life, struck just before, within and just after it, in each process. `-t 'answer accepted'` runs a part. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { killPoints, MOMENTS, PROCESSES, STEPS } from '../support/kill-points.ts';
import { type KillStand, startKillStand } from '../support/kill-stand.ts';

const START_LIMIT_MS = 180_000;
const CELL_LIMIT_MS = 180_000;

// Within a block, so that the stand is gone before the file is asked what it leaves open.
describe('the task goes on', () => {
  let stand: KillStand;
  let lives = 0;

  beforeAll(async () => {
    stand = await startKillStand();
  }, START_LIMIT_MS);

  afterAll(async () => {
    await stand[Symbol.asyncDispose]();
  }, START_LIMIT_MS);

  describe.each(STEPS)('%s', (step) => {
    describe.each(MOMENTS)('%s', (moment) => {
      it.each(PROCESSES)(
        'and the %s is killed: one workflow, each event once, each answer taken once, the right end',
        async (victim) => {
          const name = `${step.replaceAll(' ', '-')}.${moment}.${victim}`;
          lives += 1;
          const { cuts } = await stand.strike(name, killPoints(name)[step][moment], [victim]);
          if (victim !== 'gateway') return;
          // Nobody follows a task that has not started, and a stream whose end is in history may be over before the kill.
          const mayBeOver = (step === 'closing' && moment === 'during') || (step === 'closed' && moment !== 'before');
          if (step !== 'started' && !mayBeOver) expect(cuts).toBeGreaterThan(0);
          // A stage whose worker lives is not repeated because a gateway has died.
          const runs = await stand.deployment.calls({ messageId: name, event: 'run' });
          expect(runs.map(({ text }) => text)).toEqual(['work', 'ask', 'ask', 'ask', 'write', 'close']);
        },
        CELL_LIMIT_MS,
      );
    });
  });

  it('there are as many task workflows as messages', async () => {
    await eventually(async () => (await stand.tasks()) >= lives);
    expect(await stand.tasks()).toBe(lives);
  });
});
