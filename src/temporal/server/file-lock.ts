import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';

const SQLITE_BUSY = 5;
const RETRY_MS = 50;

/**
 * Holds an exclusive lock between processes until it is disposed, or its process ends in whatever way.
 *
 * A SQLite file carries it, because its lock is the operating system's own: a killed holder leaves nothing to clear
 * away, where a lock file with a process ID in it has to be judged stale, and two may judge at once.
 *
 * @throws after `timeoutMs`, with `busyMessage`.
 */
export async function acquireFileLock(
  path: string,
  { timeoutMs, busyMessage, onWait }: { timeoutMs: number; busyMessage: string; onWait?: () => void },
): Promise<Disposable> {
  await mkdir(dirname(path), { recursive: true });
  const deadline = Date.now() + timeoutMs;
  for (let attempt = 0; ; attempt++) {
    const database = new DatabaseSync(path, { timeout: 0 });
    try {
      database.exec('BEGIN EXCLUSIVE');
      return {
        [Symbol.dispose]: () => {
          database.close();
        },
      };
    } catch (error) {
      database.close();
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
      if (Date.now() > deadline) throw new Error(busyMessage, { cause: error });
      if (attempt === 0) onWait?.();
    }
    await delay(RETRY_MS);
  }
}
