import type { Section } from '../bench.ts';
import { distribution, value } from '../figures/figure.ts';
import type { Row } from '../figures/row.ts';
import { timedTimes } from '../in-parallel.ts';
import { cpuAtRest, memoryOf } from '../process-usage.ts';

export const waitingTasks: Section = {
  name: 'waiting-tasks',
  about: 'many tasks that wait for an answer: memory, CPU at rest, and how soon an answer is taken',
  async measure({ product, raw, waitingTasks: waiting, sizes: { waiting: counts, answers, restMs }, say }) {
    const rows: Row[] = [];
    const alone = distribution(await raw.ask('answers', { count: answers }));
    for (const count of counts) {
      await waiting.ensure(count);
      say(`${count} tasks wait; nothing happens for ${restMs / 1000} s`);
      const [cpu = NaN, temporalCpu = NaN] = await cpuAtRest([product.pid, product.temporalPid], restMs);
      const memory = await memoryOf(product.pid);
      const temporalMemory = await memoryOf(product.temporalPid);
      say(`${answers} of them are answered`);
      const asked = waiting.take(answers);
      const samples = await timedTimes(asked.length, (index) => product.client.answer(asked[index] ?? ''));
      const name = `${count} waiting tasks`;
      rows.push(
        { what: `${name}: memory of \`up\``, product: value(memory, 'MB') },
        { what: `${name}: memory of Temporal`, product: value(temporalMemory, 'MB') },
        { what: `${name}: CPU at rest of \`up\``, product: value(cpu, '% of a core') },
        { what: `${name}: CPU at rest of Temporal`, product: value(temporalCpu, '% of a core') },
        { what: `${name}: an answer is taken`, product: distribution(samples), raw: alone },
      );
    }
    return rows;
  },
};
