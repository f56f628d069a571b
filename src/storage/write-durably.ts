import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const ABANDONED_AFTER_MS = 24 * 60 * 60_000;

/** Fills a new file; answers the path that it is to have. */
export type FillFile = (file: FileHandle) => Promise<string>;

/**
 * Writes files that are there whole or not at all, also after a power cut, and whoever writes the same one at the same
 * time. An unfinished file lies in `stagingDirectory`, on the same file system; what a killed process left there goes
 * after a day.
 */
export function createDurableWriter(stagingDirectory: string): (fill: FillFile) => Promise<void> {
  let prepared: Promise<void> | undefined;

  return async function writeDurably(fill) {
    await (prepared ??= removeAbandoned(stagingDirectory));
    await mkdir(stagingDirectory, { recursive: true });
    const staged = join(stagingDirectory, randomUUID());
    try {
      const path = await fillAndSync(staged, fill);
      const firstMade = await mkdir(dirname(path), { recursive: true });
      await rename(staged, path);
      await syncFolders(dirname(path), firstMade);
    } catch (error) {
      await rm(staged, { force: true });
      throw error;
    }
  };
}

async function fillAndSync(staged: string, fill: FillFile): Promise<string> {
  const file = await open(staged, 'wx');
  try {
    const path = await fill(file);
    await file.sync();
    return path;
  } finally {
    await file.close();
  }
}

/** A name survives a power cut once its folder is synced, and so does the name of a folder that was made for it. */
async function syncFolders(folder: string, firstMade: string | undefined): Promise<void> {
  for (let current = folder; ; current = dirname(current)) {
    const handle = await open(current, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (!firstMade || current === dirname(firstMade) || current === dirname(current)) return;
  }
}

async function removeAbandoned(stagingDirectory: string): Promise<void> {
  const names = await readdir(stagingDirectory).catch(() => []);
  for (const path of names.map((name) => join(stagingDirectory, name))) {
    const written = await stat(path).catch(() => undefined);
    if (written && Date.now() - written.mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true });
  }
}
