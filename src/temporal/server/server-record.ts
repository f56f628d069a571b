import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from './find-server-process.ts';

/** `<data>/temporal.json`: for people and their scripts, and for who stops the server. Written under the server lock. */
export interface ServerRecord {
  readonly address: string;
  readonly uiUrl: string;
  readonly pid: number;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Process IDs of who uses the server; the last one to leave stops it. One that was killed does not count. */
  readonly users: readonly number[];
}

export async function readServerRecord(dataDir: string): Promise<ServerRecord | undefined> {
  try {
    return JSON.parse(await readFile(join(dataDir, 'temporal.json'), 'utf8')) as ServerRecord;
  } catch {
    return undefined; // none yet; a damaged one says no more than none
  }
}

export async function writeServerRecord(dataDir: string, record: ServerRecord): Promise<void> {
  const path = join(dataDir, 'temporal.json');
  await writeFile(`${path}.new`, `${JSON.stringify(record, undefined, 2)}\n`);
  await rename(`${path}.new`, path);
}

export function withUser(users: readonly number[]): number[] {
  return [...users.filter(isAlive), process.pid];
}

/** One entry of this process less: it may use the server several times. */
export function withoutUser(users: readonly number[]): number[] {
  const left = users.filter(isAlive);
  const own = left.indexOf(process.pid);
  return left.filter((_, index) => index !== own);
}
