import { setTimeout as delay } from 'node:timers/promises';
import type { Section } from '../bench.ts';
import { distribution } from '../figures/figure.ts';
import { atMost } from '../figures/row.ts';
import { timedTimes } from '../in-parallel.ts';
import type { GatewayClient } from '../product/gateway-client.ts';
import { takeTurns } from '../take-turns.ts';

const OVERHEAD_MS = 3;

export const submit: Section = {
  name: 'submit',
  about: 'SendMessage with returnImmediately, against starting a workflow',
  async measure({ product: { client }, raw, sizes: { rounds, perRound: count } }) {
    const samples = await takeTurns(rounds, {
      product: () => submitTimes(client, count),
      raw: () => raw.ask('start', { count, start: 'plain' }),
      rawEager: () => raw.ask('start', { count, start: 'eager' }),
    });
    const [measured, plain] = [distribution(samples.product), distribution(samples.raw)];
    return [
      {
        what: 'submit',
        product: measured,
        raw: plain,
        rawEager: distribution(samples.rawEager),
        aim: atMost('p50 of raw + 3 ms', measured.p50, plain.p50 + OVERHEAD_MS),
      },
    ];
  },
};

/** As with the raw client, a task has ended before the next one is submitted. */
function submitTimes(client: GatewayClient, count: number): Promise<number[]> {
  let id = '';
  return timedTimes(
    count,
    async () => {
      ({ id } = await client.submit('quick'));
    },
    async () => {
      while ((await client.getTask(id)).status.state !== 'TASK_STATE_COMPLETED') await delay(10);
    },
  );
}
