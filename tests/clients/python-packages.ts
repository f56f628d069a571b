import { execFile } from 'node:child_process';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/longhaul-test/python');
const NEEDED = 'This test needs Python 3.10 or later with pip, and an index that pip can install from';
const TAG = "import sys; print('cp%d%d' % sys.version_info[:2])";

/**
 * A folder for `PYTHONPATH` that holds this package and what it needs, installed once, under `node_modules/.cache`. Not a
 * virtual environment: on some systems that needs more than Python and pip.
 * @param requirement as pip takes it, with an exact version
 * @throws when the machine has no Python, or pip cannot install: the test then fails, and says what is missing
 */
export async function installPython(requirement: string): Promise<string> {
  const tag = await python('There is no python3', ['-c', TAG]);
  const folder = join(CACHE, `${requirement.replace(/[^\w.]+/g, '-')}-${tag}`);
  if (await exists(folder)) return folder;

  // Named when it is complete, so that neither a broken download nor a second test run leaves a half one.
  const draft = `${folder}.${process.pid}`;
  await mkdir(CACHE, { recursive: true });
  try {
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', draft, requirement];
    await python(`pip could not install ${requirement}`, pip);
    await rename(draft, folder).catch(async (error: unknown) => {
      if (!(await exists(folder))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function python(complaint: string, args: readonly string[]): Promise<string> {
  try {
    return (await run('python3', [...args])).stdout.trim();
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new Error(`${complaint}. ${NEEDED}.\n${(stderr || message).trim()}`, { cause: error });
  }
}
