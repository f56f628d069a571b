import type { Section } from '../bench.ts';
import { distribution } from '../figures/figure.ts';
import { atMost } from '../figures/row.ts';
import { inParallel, timedTimes } from '../in-parallel.ts';
import { takeTurns } from '../take-turns.ts';

const RUNNING_OVERHEAD_MS = 2;
const FINISHED_MS = 1;

export const getTask: Section = {
  name: 'get-task',
  about: 'GetTask of running and finished tasks, against a query and a result',
  async measure({ product: { client }, raw, sizes: { rounds, readsPerRound: count, perRound } }) {
    const running = (await client.submit('waits')).id;
    const finished = (await client.run('quick')).id;
    await client.getTask(running);
    await client.getTask(finished);
    const others = await inParallel(rounds * perRound, { atOnce: 10 }, async () => (await client.run('quick')).id);
    const samples = await takeTurns(rounds, {
      running: () => timedTimes(count, () => client.getTask(running)),
      query: () => raw.ask('query', { count }),
      finished: () => timedTimes(count, () => client.getTask(finished)),
      result: () => raw.ask('result', { count }),
      first: () => timedTimes(perRound, () => client.getTask(others.pop() ?? '')),
    });
    const [read, query] = [distribution(samples.running), distribution(samples.query)];
    const again = distribution(samples.finished);
    return [
      {
        what: 'GetTask, running',
        product: read,
        raw: query,
        aim: atMost('p50 of raw query + 2 ms', read.p50, query.p50 + RUNNING_OVERHEAD_MS),
      },
      {
        what: 'GetTask, finished',
        product: again,
        raw: distribution(samples.result),
        aim: atMost('p50 under 1 ms', again.p50, FINISHED_MS),
      },
      { what: 'GetTask, finished, the first time', product: distribution(samples.first) },
    ];
  },
};
