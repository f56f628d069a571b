import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Fills a temporary file in the folder, then gives it its name: others see the whole file or none, also after a power cut, and
 * two processes that write the same name leave one whole file. `fill` answers the file's name.
 */
export async function writeFileAtomically(folder: string, fill: (file: FileHandle) => Promise<string>): Promise<void> {
  await mkdir(folder, { recursive: true });
  const temporary = join(folder, `.${randomUUID()}.tmp`);
  try {
    const file = await open(temporary, 'wx');
    let name: string;
    try {
      name = await fill(file);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, join(folder, name));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
  await syncFolder(dirname(folder));
}

/** The name lives in the folder, and the folder's own in its parent. Not every system lets a folder be synced. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  try {
    await folder?.sync().catch(() => undefined);
  } finally {
    await folder?.close();
  }
}
