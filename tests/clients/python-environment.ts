import { execFile } from 'node:child_process';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/longhaul-test');
const NEEDED = 'These tests need Python 3.10 or later with venv and pip, and an index that pip can install from';

/**
 * Path of a Python interpreter that has this package, installed once, under `node_modules/.cache`.
 * @param requirement as pip takes it, with an exact version
 * @throws when the machine has no Python, or pip cannot install: the tests then fail, and say what is missing
 */
export async function pythonWith(requirement: string): Promise<string> {
  const folder = join(CACHE, `python-${requirement.replace(/[^\w.]+/g, '-')}`);
  const made = join(folder, 'bin/python');
  if (await exists(made)) return made;

  // Named when it is complete, so that neither a broken download nor a second test run leaves a half one.
  const draft = `${folder}.${process.pid}`;
  await mkdir(CACHE, { recursive: true });
  try {
    await runOr('There is no python3 that can make a venv', 'python3', ['-m', 'venv', draft]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', requirement];
    await runOr(`pip could not install ${requirement}`, join(draft, 'bin/python'), pip);
    await rename(draft, folder).catch(async (error: unknown) => {
      if (!(await exists(made))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return made;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function runOr(complaint: string, program: string, args: readonly string[]): Promise<void> {
  try {
    await run(program, [...args]);
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new Error(`${complaint}. ${NEEDED}.\n${(stderr || message).trim()}`, { cause: error });
  }
}
