import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

const repository = dirname(dirname(import.meta.dirname));

/** What a stand-in for the command's main prints about itself, as one line of JSON. */
const REPORT = `console.log(JSON.stringify({
  from: import.meta.url, pid: process.pid, args: process.argv.slice(2), longhaul: import.meta.resolve('longhaul') }));`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-bin-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A package of the given files below `folder`, with the real bin and package.json. */
async function layOut(path: string, files: Record<string, string>): Promise<string> {
  const packageDir = join(folder, path);
  for (const name of ['bin', 'package.json']) {
    await cp(join(repository, name), join(packageDir, name), { recursive: true });
  }
  for (const [name, content] of Object.entries({ 'src/index.ts': '', 'dist/src/index.js': '', ...files })) {
    await mkdir(dirname(join(packageDir, name)), { recursive: true });
    await writeFile(join(packageDir, name), content);
  }
  return join(packageDir, 'bin', 'longhaul.js');
}

function run(bin: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], { encoding: 'utf8' });
  return { status, stderr, report: stdout === '' ? undefined : (JSON.parse(stdout) as Record<string, unknown>) };
}

it('runs a checkout from its source, with the arguments and the exit code', async () => {
  const bin = await layOut('checkout', {
    'src/cli/main.ts': `const code: number = 7; ${REPORT} process.exitCode = code;`,
    'dist/src/cli/main.js': 'throw new Error("stale");',
  });
  const { status, stderr, report } = run(bin, 'submit', '--json', 'two words');
  expect({ status, stderr }).toEqual({ status: 7, stderr: '' });
  expect(report).toMatchObject({
    args: ['submit', '--json', 'two words'],
    from: expect.stringMatching(/src\/cli\/main\.ts$/),
    longhaul: expect.stringMatching(/src\/index\.ts$/),
  });
});

it('runs what was compiled when it is installed in a project', async () => {
  const bin = await layOut('project/node_modules/longhaul', {
    'src/cli/main.ts': 'throw new Error("types are not stripped here");',
    'dist/src/cli/main.js': REPORT,
  });
  expect(run(bin).report).toMatchObject({
    from: expect.stringMatching(/dist\/src\/cli\/main\.js$/),
    longhaul: expect.stringMatching(/dist\/src\/index\.js$/),
  });
});

it('says so when neither is there', async () => {
  const { status, stderr } = run(await layOut('empty', {}));
  expect(status).toBe(1);
  expect(stderr).toMatch(/^longhaul: this package is incomplete, .*\n$/);
});

it('is one process, so that a signal to it reaches the command', async () => {
  const bin = await layOut('checkout', {
    'src/cli/main.ts': `setInterval(() => {}, 60_000); process.on('SIGTERM', () => process.exit(9)); ${REPORT}`,
  });
  const child = spawn(process.execPath, [bin], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  expect(JSON.parse(line)).toMatchObject({ pid: child.pid });
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([9, null]);
});
