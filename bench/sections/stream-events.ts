import type { Section } from '../bench.ts';
import { distribution } from '../figures/figure.ts';
import { atMost } from '../figures/row.ts';
import type { GatewayClient } from '../product/gateway-client.ts';
import { takeTurns } from '../take-turns.ts';

/** Longer than progress is thinned out to: each is sent at once. */
const INTERVAL_MS = 300;
const EVENT_MS = 15;

export const streamEvents: Section = {
  name: 'stream-events',
  about: "from a stage's progress to its event on a stream, against a signal and a long poll that sees it",
  async measure({ product: { client }, raw, sizes: { rounds, eventsPerRound: count } }) {
    const samples = await takeTurns(rounds, {
      product: () => eventTimes(client, count),
      raw: () => raw.ask('events', { count, intervalMs: INTERVAL_MS }),
    });
    const measured = distribution(samples.product);
    return [
      {
        what: 'event on a stream',
        product: measured,
        raw: distribution(samples.raw),
        aim: atMost('p50 under 15 ms', measured.p50, EVENT_MS),
      },
    ];
  },
};

async function eventTimes(client: GatewayClient, count: number): Promise<number[]> {
  const samples: number[] = [];
  const { id } = await client.submit('ticks', `${count} ${INTERVAL_MS}`);
  using stream = await client.subscribe(id, (data, at) => {
    const shownAt = /"text":"at ([\d.]+)"/.exec(data)?.[1];
    if (shownAt !== undefined) samples.push(performance.timeOrigin + at - Number(shownAt));
  });
  await stream.next((data) => data.includes('TASK_STATE_COMPLETED'));
  return samples;
}
