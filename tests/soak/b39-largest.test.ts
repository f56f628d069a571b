/** The largest that stages may leave, and what is beyond: exact, or FAILED naming the limit; neither process grows with it. */
import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import type { Task } from '../../src/domain/a2a.ts';
import { isTerminal } from '../../src/domain/task-state.ts';
import { sharedDeployment } from '../support/deployment.ts';
import { eventually } from '../support/eventually.ts';

const EXECUTOR = `
import { open } from 'node:fs/promises';
import { join } from 'node:path';

const commands = {
  payload: (context, bytes) => ({ summary: 'payload', payload: 'x'.repeat(bytes) }),
  answer: (context, bytes) => ({ summary: 'x'.repeat(bytes) }),
  async stream({ stream }, bytes) {
    const chunk = 'x'.repeat(1_000_000);
    for (let sent = 0; sent < bytes; sent += chunk.length) await stream(chunk);
    return { summary: '' };
  },
  async file({ writeArtifact }, bytes) {
    const path = join(import.meta.dirname, 'large.bin');
    const file = await open(path, 'w');
    await file.truncate(bytes);
    await file.close();
    await writeArtifact({ name: 'large.bin', path });
    return { summary: 'file' };
  },
  async progress({ progress }, count) {
    for (let done = 1; done <= count; done += 1) await progress({ text: 'step ' + done, percent: (100 * done) / count });
    return { summary: count + ' steps' };
  },
};

export const large = (context) => {
  const [name, number] = context.input.text.split(' ');
  return commands[name](context, Number(number));
};
`;

const deployment = sharedDeployment({
  publications: `
- id: large
  name: Large
  description: Does much.
  executor: { kind: function, module: ./large.mjs, export: large }
  allowed_callers: [alice]
`,
  files: { 'large.mjs': EXECUTOR },
});

async function run(text: string): Promise<{ task: Task; readMs: number }> {
  const sent = await deployment().send(text, {
    message: { messageId: `largest ${text}`, metadata: { skillHint: 'large' } },
    configuration: { returnImmediately: true },
  });
  const { id } = sent.body.result.task as Task;
  const task = await eventually(
    async () => {
      const now = await deployment().task(id);
      return isTerminal(now.status.state) && now;
    },
    { timeoutMs: 300_000, intervalMs: 200 },
  );
  const begunAt = performance.now();
  await deployment().task(id);
  return { task, readMs: performance.now() - begunAt };
}

const said = ({ status }: Task): string => status.message?.parts[0]?.text ?? '';

const reports: string[] = [];

function report(text: string, begunAt: number, readMs: number): void {
  const seconds = ((performance.now() - begunAt) / 1000).toFixed(1);
  reports.push(`${text}: ${seconds} s, GetTask ${Math.round(readMs)} ms`);
}

it.each([
  ['payload 30000000', 'result', 30_000_002],
  ['answer 20000000', 'answer', 20_000_000],
  ['answer 20000001', 'answer', 20_000_001],
  ['answer 20000002', 'answer', 20_000_002],
  ['stream 100000000', 'answer', 100_000_000],
  ['file 1000000000', 'large.bin', 1_000_000_000],
])('%s is a file of the task', async (text, name, bytes) => {
  const begunAt = performance.now();
  const { task, readMs } = await run(text);
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  const artifact = task.artifacts?.find((each) => each.artifactId === name || each.name === name);
  expect(artifact?.parts[0]?.metadata).toMatchObject({ bytes });
  report(text, begunAt, readMs);
});

it.each([
  ['payload 70000000', 'The payload exceeds the limit of 67108864 bytes'],
  ['file 1200000000', 'The artifact large.bin exceeds the limit of 1073741824 bytes'],
  ['stream 1200000000', 'The artifact answer.md exceeds the limit of 1073741824 bytes'],
])('%s ends the task with the limit in its status', async (text, why) => {
  const begunAt = performance.now();
  const { task, readMs } = await run(text);
  expect([task.status.state, said(task)]).toEqual(['TASK_STATE_FAILED', why]);
  report(text, begunAt, readMs);
});

it('1,000,000 calls of progress are thinned to a few signals', async () => {
  const begunAt = performance.now();
  const { task, readMs } = await run('progress 1000000');
  expect([task.status.state, said(task)]).toEqual(['TASK_STATE_COMPLETED', '1000000 steps']);
  report('progress 1000000', begunAt, readMs);
});

/** Of both processes, over all of the above. Figures for docs/soak.md are printed. */
it('neither process has held more than a few of these at a time', async () => {
  const peaks: number[] = [];
  const pids = await readdir('/proc').catch(() => []);
  for (const pid of pids.filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const kind = /\0(worker|gateway)\0/.exec(command)?.[1];
    const environment = kind && (await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => ''));
    if (!environment?.includes(deployment().taskQueue)) continue;
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const [peak, now] = ['VmHWM', 'VmRSS'].map(
      (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024,
    );
    reports.push(`${kind}: ${peak?.toFixed()} MiB at most, ${now?.toFixed()} MiB now`);
    peaks.push(peak ?? Number.NaN);
  }
  process.stdout.write(`${reports.join('\n')}\n`);
  expect(peaks).toHaveLength(2);
  expect(Math.max(...peaks)).toBeLessThan(2_000);
});
