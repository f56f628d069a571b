import type { Section } from '../bench.ts';
import { distribution } from '../figures/figure.ts';
import { atMost } from '../figures/row.ts';
import { timedTimes } from '../in-parallel.ts';
import { takeTurns } from '../take-turns.ts';

export const quickTask: Section = {
  name: 'quick-task',
  about: 'a blocking SendMessage of the smallest task, against start and result of a workflow with one activity',
  async measure({ product: { client }, raw, sizes: { rounds, perRound: count } }) {
    const samples = await takeTurns(rounds, {
      product: () => timedTimes(count, () => client.run('quick')),
      raw: () => raw.ask('quick', { count, start: 'plain' }),
      rawEager: () => raw.ask('quick', { count, start: 'eager' }),
    });
    const [measured, plain] = [distribution(samples.product), distribution(samples.raw)];
    return [
      {
        what: 'quick blocking task',
        product: measured,
        raw: plain,
        rawEager: distribution(samples.rawEager),
        aim: atMost('p50 of raw', measured.p50, plain.p50),
      },
    ];
  },
};
