import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { Task } from '../../src/domain/a2a.ts';
import { temporaryFolder, testServer, uniqueTaskQueue } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import type { Place } from './run-longhaul.ts';
import { longhaul, startLonghaul } from './run-longhaul.ts';

const CONFIG = `version: 1
public_url: http://localhost:4000
callers: [{ id: me }]
anonymous: me
publications:
  - id: slow
    name: Slow
    description: Works until a file is there.
    executor: { kind: function, module: ./slow.ts, export: slow }
    allowed_callers: [me]
`;

const SLOW = `import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
export const slow = async ({ attempt, progress, signal }) => {
  await progress({ text: 'attempt ' + attempt, percent: 1 });
  while (!existsSync('go')) await delay(50, undefined, { signal });
  return { summary: 'done in attempt ' + attempt };
};
`;

it('SIGTERM ends the stream cleanly and hands the stage back; the watcher and the task go on at the next start', async () => {
  await using folder = await temporaryFolder();
  const place: Place = { cwd: folder.path, env: { LONGHAUL_TASK_QUEUE: uniqueTaskQueue() } };
  await writeFile(join(folder.path, 'a2a.yaml'), CONFIG);
  await writeFile(join(folder.path, 'slow.ts'), SLOW);
  const { address, namespace } = testServer();
  const ports = ['--port', '0', '--operator-port', '0'];
  const args = ['up', '--temporal-address', address, '--namespace', namespace];

  const first = await startLonghaul([...args, ...ports], place);
  const { url } = first.ready as { url: string };
  const { stdout } = await longhaul(['submit', 'work', '--json'], place);
  const { task } = JSON.parse(stdout) as { task: Task };
  await using watching = await startLonghaul(['watch', task.id, '--url', url], place);
  await eventually(async () => (await longhaul(['get', task.id], place)).stdout.includes('attempt 1'));

  first.signal('SIGTERM');
  expect(await first.exited).toEqual({ code: 0, signal: null });
  await using second = await startLonghaul([...args, '--port', new URL(url).port, '--operator-port', '0'], place);
  expect(second.ready).toMatchObject({ url });
  await writeFile(join(folder.path, 'go'), '');

  expect(await watching.exited).toEqual({ code: 0, signal: null });
  const events = (await watching.stdout).trim().split('\n');
  expect(events.at(-1)).toContain('done in attempt 2');
  // The snapshot came once: after the cut the stream went on where it was.
  expect(events.filter((line) => 'task' in (JSON.parse(line) as object))).toHaveLength(1);
}, 120_000);

it('a worker whose executor does not load refuses to start, and says which', async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'a2a.yaml'), CONFIG);
  await writeFile(join(folder.path, 'slow.ts'), 'export const fast = () => ({});');
  const { address, namespace } = testServer();
  const ended = await longhaul(
    ['up', '--port', '0', '--operator-port', '0', '--temporal-address', address, '--namespace', namespace],
    { cwd: folder.path },
  );
  expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('has no function "slow"; it exports fast') });
});
