import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ArtifactStore } from './artifact-store.ts';
import { folderName } from './folder-name.ts';
import { requireMarker, unlessAway } from './store-away-error.ts';
import { createDurableWriter } from './write-durably.ts';

const SHA256 = /^[0-9a-f]{64}$/;

/** `<directory>/<task>/<artifact>/<sha256>`; any number of processes may share the directory. */
export function createFolderArtifactStore(
  directory: string,
  /** `isMarked`: it was set up, and is only used while its mark is there. */
  { isMarked = false }: { isMarked?: boolean } = {},
): ArtifactStore {
  const folderOf = (taskId: string, artifactId: string) => join(directory, folderName(taskId), folderName(artifactId));
  const writeDurably = createDurableWriter(join(directory, '.new'));

  return {
    async put(taskId, artifactId, content) {
      if (isMarked) await requireMarker(directory);
      let bytes = 0;
      let sha256 = '';
      await writeDurably(async (file) => {
        const hash = createHash('sha256');
        for await (const chunk of chunksOf(content)) {
          hash.update(chunk);
          await file.appendFile(chunk);
          bytes += chunk.byteLength;
        }
        sha256 = hash.digest('hex');
        return join(folderOf(taskId, artifactId), sha256);
      });
      return { bytes, sha256 };
    },

    async open(taskId, artifactId, sha256) {
      if (!SHA256.test(sha256)) return undefined;
      const file = await unlessAway(directory, openIfThere(join(folderOf(taskId, artifactId), sha256)));
      if (file === undefined) {
        if (isMarked) await requireMarker(directory);
        return undefined;
      }
      try {
        const { size } = await file.stat();
        return { stream: file.createReadStream(), bytes: size };
      } catch (error) {
        await file.close();
        throw error;
      }
    },
  };
}

async function* chunksOf(content: Uint8Array | Readable): AsyncGenerator<Uint8Array> {
  if (content instanceof Readable) {
    for await (const chunk of content as AsyncIterable<string | Uint8Array>) {
      yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    }
  } else {
    yield content;
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
