import { createHash } from 'node:crypto';
import { readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { requireMarker, unlessAway } from './store-away-error.ts';
import { createDurableWriter } from './write-durably.ts';

/** Bytes by their SHA-256 (lower-case hex): what is too big for Temporal's history. */
export interface PayloadStore {
  /**
   * Returns when the bytes are on disk.
   * @throws {StoreAwayError}
   */
  put(content: Uint8Array): Promise<string>;
  /** @throws {PayloadStoreError} when they are missing or not what they were; StoreAwayError */
  get(sha256: string): Promise<Uint8Array>;
}

class PayloadStoreError extends Error {
  override readonly name = 'PayloadStoreError';
}

const SHA_256 = /^[0-9a-f]{64}$/;

/**
 * A payload store in a folder that all gateways and workers share, as `ab/cd/abcd…`. The same content is one file,
 * whoever writes it, so concurrent writers and retries after a crash change nothing; writing it again renews its time.
 */
export function createPayloadStore({
  directory,
  isMarked = false,
}: {
  directory: string;
  /** It was set up, and is only used while its mark is there. */
  isMarked?: boolean;
}): PayloadStore {
  const writeDurably = createDurableWriter(join(directory, 'new'));
  const pathOf = (sha256: string): string => join(directory, sha256.slice(0, 2), sha256.slice(2, 4), sha256);

  async function put(content: Uint8Array): Promise<string> {
    const sha256 = hashOf(content);
    const path = pathOf(sha256);
    const present = await readIfPresent(path);
    if (present && Buffer.compare(present, content) === 0) {
      const now = new Date();
      await utimes(path, now, now);
    } else {
      // Over a damaged file, too.
      await writeDurably(async (file) => {
        await file.writeFile(content);
        return path;
      });
    }
    return sha256;
  }

  async function get(sha256: string): Promise<Uint8Array> {
    // The name comes out of a history: nothing but a hash may become part of a path.
    if (!SHA_256.test(sha256)) throw new PayloadStoreError('A payload reference is not a SHA-256');
    const content = await readIfPresent(pathOf(sha256));
    if (!content) {
      if (isMarked) await requireMarker(directory);
      throw new PayloadStoreError(
        `Payload ${sha256} is not in ${directory}. Is the folder shared by all gateways and workers?`,
      );
    }
    if (hashOf(content) !== sha256)
      throw new PayloadStoreError(`Payload ${sha256} in ${directory} is damaged: its content has another hash`);
    return content;
  }

  return {
    async put(content) {
      if (isMarked) await requireMarker(directory);
      return unlessAway(directory, put(content));
    },
    get: (sha256) => unlessAway(directory, get(sha256)),
  };
}

function hashOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

async function readIfPresent(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
