import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError } from '../command-error.ts';
import { EXIT } from '../exit-codes.ts';

const CHARACTERS_MIN = 32;

/** The secret that all replicas share; whatever is signed, encrypted or derived comes from it. Never logged. */
export async function readSecret(dataDir: string, env: NodeJS.ProcessEnv): Promise<string> {
  const path = env['LONGHAUL_SECRET_FILE'] ?? join(dataDir, 'secret');
  const secret = env['LONGHAUL_SECRET'] ?? (await readIfPresent(path))?.trim();
  if (secret === undefined || secret === '') {
    throw new CommandError(EXIT.usage, 'no-secret', 'Gateways and workers share a secret, and this one has none.', {
      next: 'Set LONGHAUL_SECRET (or LONGHAUL_SECRET_FILE) to the same random value everywhere: openssl rand -hex 32',
    });
  }
  if (secret.length < CHARACTERS_MIN) {
    throw new CommandError(EXIT.usage, 'no-secret', `The secret is shorter than ${CHARACTERS_MIN} characters.`, {
      next: 'Make a longer one: openssl rand -hex 32',
    });
  }
  return secret;
}

/** Makes a secret in the data folder, readable by this user alone, unless there is one. */
export async function ensureSecret(dataDir: string): Promise<void> {
  try {
    await writeFile(join(dataDir, 'secret'), `${randomBytes(32).toString('hex')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
