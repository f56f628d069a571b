import type { Section } from '../bench.ts';
import { distribution } from '../figures/figure.ts';
import type { Row } from '../figures/row.ts';
import { atLeast } from '../figures/row.ts';
import { inParallel, timed } from '../in-parallel.ts';
import { cpuOf } from '../process-usage.ts';

const ROUNDS = 3;
const SHARE = 0.9;

/** Of rounds. The CPU time is that of each task, in milliseconds: of the process that serves it and works on it, and of Temporal. */
interface Samples {
  readonly perSecond: number[];
  readonly cpu: number[];
  readonly temporalCpu: number[];
}

export const throughput: Section = {
  name: 'throughput',
  about: 'quick tasks to their end, many at the same time, and the CPU time that one takes',
  async measure({ product, raw, sizes: { throughput: size } }) {
    const { count, atOnce } = size;
    const contestants = {
      product: { pid: product.pid, run: () => inParallel(count, { atOnce }, () => product.client.run('quick')) },
      raw: { pid: raw.pid, run: () => raw.ask('throughput', { ...size, start: 'plain' }) },
      rawEager: { pid: raw.pid, run: () => raw.ask('throughput', { ...size, start: 'eager' }) },
    } as const;
    type Name = keyof typeof contestants;
    const samples: Record<Name, Samples> = { product: none(), raw: none(), rawEager: none() };
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, { pid, run }] of Object.entries(contestants) as [Name, (typeof contestants)[Name]][]) {
        let ms = NaN;
        const [cpu = NaN, temporalCpu = NaN] = await cpuOf([pid, product.temporalPid], async () => {
          ms = await timed(run);
        });
        samples[name].perSecond.push((count / ms) * 1000);
        samples[name].cpu.push(cpu / count);
        samples[name].temporalCpu.push(temporalCpu / count);
      }
    }
    const row = (what: string, figure: keyof Samples, unit: 'tasks/s' | 'ms'): Row & Required<Pick<Row, 'raw'>> => ({
      what,
      product: distribution(samples.product[figure], unit),
      raw: distribution(samples.raw[figure], unit),
      rawEager: distribution(samples.rawEager[figure], unit),
    });
    const rate = row(`throughput, ${atOnce} at a time`, 'perSecond', 'tasks/s');
    return [
      { ...rate, aim: atLeast('0.9 of raw', rate.product.p50, rate.raw.p50 * SHARE) },
      row('CPU time of a quick task, in `up` or the raw process', 'cpu', 'ms'),
      row('CPU time of a quick task, in Temporal', 'temporalCpu', 'ms'),
    ];
  },
};

function none(): Samples {
  return { perSecond: [], cpu: [], temporalCpu: [] };
}
