import type { Section } from '../bench.ts';
import { distribution } from '../figures/figure.ts';
import { atLeast } from '../figures/row.ts';
import { inParallel, timed } from '../in-parallel.ts';
import { takeTurns } from '../take-turns.ts';

const ROUNDS = 3;
const SHARE = 0.9;

export const throughput: Section = {
  name: 'throughput',
  about: 'quick tasks to their end, many at the same time',
  async measure({ product: { client }, raw, sizes: { throughput: size } }) {
    const { count, atOnce } = size;
    const samples = await takeTurns(ROUNDS, {
      product: async () => {
        const ms = await timed(() => inParallel(count, { atOnce }, () => client.run('quick')));
        return [(count / ms) * 1000];
      },
      raw: async () => [await raw.ask('throughput', { ...size, start: 'plain' })],
      rawEager: async () => [await raw.ask('throughput', { ...size, start: 'eager' })],
    });
    const measured = distribution(samples.product, 'tasks/s');
    const plain = distribution(samples.raw, 'tasks/s');
    return [
      {
        what: `throughput, ${atOnce} at a time`,
        product: measured,
        raw: plain,
        rawEager: distribution(samples.rawEager, 'tasks/s'),
        aim: atLeast('0.9 of raw', measured.p50, plain.p50 * SHARE),
      },
    ];
  },
};
