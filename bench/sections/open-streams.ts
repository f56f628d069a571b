import { setTimeout as delay } from 'node:timers/promises';
import type { Section } from '../bench.ts';
import { distribution, value } from '../figures/figure.ts';
import type { Row } from '../figures/row.ts';
import { atMost } from '../figures/row.ts';
import type { EventStream } from '../http/event-stream.ts';
import { NoStream } from '../http/event-stream.ts';
import { inParallel } from '../in-parallel.ts';
import type { GatewayClient } from '../product/gateway-client.ts';
import { cpuAtRest, memoryOf } from '../process-usage.ts';

const OPENED_AT_ONCE = 50;
const ATTEMPTS = 10;
const RETRY_MS = 1000;
const MEMORY_MB = 600;
const ANSWER_MS = 250;

export const openStreams: Section = {
  name: 'open-streams',
  about: 'many streams in one gateway, each of another task: memory, CPU at rest, and how soon an answer is seen',
  async measure({ product, waitingTasks: waiting, sizes: { streams: counts, answers, restMs }, say }) {
    const rows: Row[] = [];
    await using gateway = await product.startGateway();
    const streams = new Map<string, EventStream>();
    using _streams = { [Symbol.dispose]: () => streams.forEach((stream) => stream[Symbol.dispose]()) };
    for (const count of counts) {
      const ids = await waiting.ensure(count);
      const missing = ids.filter((id) => !streams.has(id));
      say(`opening ${missing.length} streams`);
      const begunAt = performance.now();
      await inParallel(missing.length, { atOnce: OPENED_AT_ONCE }, async (index) => {
        const id = missing[index] ?? '';
        streams.set(id, await subscribe(gateway.client, id, say));
      });
      const openedInMs = performance.now() - begunAt;
      say(`${streams.size} streams are open; nothing happens for ${restMs / 1000} s`);
      const [cpu = NaN, temporalCpu = NaN] = await cpuAtRest([gateway.pid, product.temporalPid], restMs);
      const memory = await memoryOf(gateway.pid);
      say(`${answers} tasks are answered at this gateway, and as many at another one`);
      const take = (): readonly string[] => waiting.take(answers, (id) => streams.has(id));
      const here = await seenTimes(gateway.client, streams, take());
      const elsewhere = await seenTimes(product.client, streams, take());
      const isMost = count === counts.at(-1);
      const name = `${count} streams`;
      rows.push(
        {
          what: `${name}: memory of their gateway`,
          product: value(memory, 'MB'),
          ...(isMost && { aim: atMost('under 600 MB', memory, MEMORY_MB) }),
        },
        { what: `${name}: CPU at rest of their gateway`, product: value(cpu, '% of a core') },
        { what: `${name}: CPU at rest of Temporal`, product: value(temporalCpu, '% of a core') },
        { what: `${name}: opening each`, product: value((openedInMs * OPENED_AT_ONCE) / missing.length, 'ms') },
        {
          what: `${name}: an answer is seen`,
          product: distribution(here),
          ...(isMost && { aim: atMost('p95 under 250 ms', distribution(here).p95, ANSWER_MS) }),
        },
        {
          what: `${name}: an answer that another gateway took is seen`,
          product: distribution(elsewhere),
          ...(isMost && { aim: atMost('p95 under 250 ms', distribution(elsewhere).p95, ANSWER_MS) }),
        },
      );
    }
    return rows;
  },
};

/** As a client does: what is refused for the moment is asked for again. */
async function subscribe(client: GatewayClient, id: string, say: (line: string) => void): Promise<EventStream> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.subscribe(id);
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof NoStream)) throw error;
      say(`  a stream was refused: ${error.message}`);
      await delay(RETRY_MS);
    }
  }
}

/** From before the answer is sent to when the task's stream says that it was answered. */
async function seenTimes(
  client: GatewayClient,
  streams: Map<string, EventStream>,
  ids: readonly string[],
): Promise<number[]> {
  const samples: number[] = [];
  for (const id of ids) {
    const stream = streams.get(id);
    if (stream === undefined) throw new Error(`Task ${id} is not watched`);
    const begunAt = performance.now();
    const seen = stream.next((data) => data.includes('"answered"'));
    const [at] = await Promise.all([seen, client.answer(id)]);
    samples.push(at - begunAt);
    stream[Symbol.dispose]();
    streams.delete(id);
  }
  return samples;
}
