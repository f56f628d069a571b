import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Writes a file so that it is there whole or not at all, also after a power cut, and whoever writes it at the same
 * time. The unfinished file lies in `stagingDir`, on the same file system.
 */
export async function writeDurably(path: string, content: Uint8Array, stagingDir: string): Promise<void> {
  await mkdir(stagingDir, { recursive: true });
  const staged = join(stagingDir, randomUUID());
  try {
    const file = await open(staged, 'wx');
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    const firstMade = await mkdir(dirname(path), { recursive: true });
    await rename(staged, path);
    await syncFolders(dirname(path), firstMade);
  } catch (error) {
    await rm(staged, { force: true });
    throw error;
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
