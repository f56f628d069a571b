/** `npm run bench`: Longhaul beside the raw Temporal client, on the same server, in one run. See docs/performance.md. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Bench } from './bench.ts';
import { FULL, QUICK } from './bench.ts';
import type { Row } from './figures/row.ts';
import { ratioOf } from './figures/row.ts';
import { table } from './figures/table.ts';
import { startProduct } from './product/start-product.ts';
import { WaitingTasks } from './product/waiting-tasks.ts';
import { startRaw } from './raw/start-raw.ts';
import { SECTIONS } from './sections/sections.ts';

const REPORT = fileURLToPath(new URL('last-run.json', import.meta.url));
const WARM_UP = 20;

const HELP = `npm run bench -- [section …] [--quick]

${SECTIONS.map(({ name, about }) => `  ${name.padEnd(15)} ${about}`).join('\n')}

  --quick         few samples: whether it runs, not how fast
  --counts 1,2    how many tasks wait, and how many streams are open, instead of 1,000 and 5,000 or 10,000
  --cpu-prof <f>  writes profiles of Longhaul's processes into folder f, when they end
`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    counts: { type: 'string' },
    'cpu-prof': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const unknown = positionals.filter((name) => !SECTIONS.some((section) => section.name === name));
if (options.help || unknown.length > 0) {
  process.stdout.write(unknown.length > 0 ? `No such section: ${unknown.join(', ')}\n\n${HELP}` : HELP);
  process.exitCode = unknown.length > 0 ? 2 : 0;
} else {
  await run();
}

async function run(): Promise<void> {
  const begunAt = performance.now();
  const chosen = SECTIONS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const profileFolder = options['cpu-prof'];
  say('starting `longhaul up`, with its own Temporal, and the raw client');
  await using product = await startProduct({
    nodeFlags: profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`],
  });
  const { temporalAddress: address, namespace } = product;
  await using raw = await startRaw({ address, namespace, taskQueue: `raw-${randomUUID()}` });
  const counts = options.counts?.split(',').map(Number);
  const sizes = { ...(options.quick ? QUICK : FULL), ...(counts && { waiting: counts, streams: counts }) };
  const bench: Bench = { product, raw, sizes, say, waitingTasks: new WaitingTasks(product, raw, say) };

  say('warming up');
  for (let index = 0; index < WARM_UP; index++) await product.client.run('quick');
  for (const start of ['plain', 'eager'] as const) await raw.ask('quick', { count: WARM_UP, start });

  const sections: { section: string; rows: readonly Row[] }[] = [];
  for (const { name, about, measure } of chosen) {
    say(`${name}: ${about}`);
    try {
      sections.push({ section: name, rows: await measure(bench) });
    } catch (error) {
      // What the others have measured, or will measure, is worth no less.
      say(`${name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      process.exitCode = 1;
    }
  }
  const rows = sections.flatMap((section) => section.rows);
  const report = {
    at: new Date().toISOString(),
    tookSeconds: Math.round((performance.now() - begunAt) / 1000),
    isQuick: options.quick,
    machine: {
      cores: availableParallelism(),
      cpu: cpus()[0]?.model,
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      platform: process.platform,
      node: process.version,
    },
    sections: sections.map(({ section, rows }) => ({
      section,
      rows: rows.map((row) => ({ ...row, ratio: ratioOf(row) })),
    })),
  };
  await writeFile(REPORT, `${JSON.stringify(report, undefined, 2)}\n`);
  process.stdout.write(`\n${table(rows)}\n`);
  say('medians, or p50 / p95 / p99; the ratio is of medians. Also in bench/last-run.json');
}

function say(line: string): void {
  process.stderr.write(`bench: ${line}\n`);
}
