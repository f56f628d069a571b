import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const MARKER_NAME = 'longhaul-store.json';

/** The file that makes a folder a store. A folder that is not shared has none, or one of another ID. */
export interface StoreMarker {
  readonly store: StoreKind;
  readonly id: string;
}

export function markerPath(directory: string): string {
  return join(directory, MARKER_NAME);
}

export type StoreKind = 'payloads' | 'artifacts';

/** Makes the folder a store unless it is one; gives the marker that it has now. May run in several processes at once. */
export async function writeStoreMarker(directory: string, store: StoreKind): Promise<StoreMarker> {
  await mkdir(directory, { recursive: true });
  const path = markerPath(directory);
  const staged = `${path}.${randomUUID()}`;
  await writeFile(staged, `${JSON.stringify({ store, id: randomUUID() } satisfies StoreMarker)}\n`, { flush: true });
  try {
    await link(staged, path); // unlike a rename, it leaves the marker of a faster process alone
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(staged, { force: true });
  }
  return checkStoreMarker(directory, { store });
}

/**
 * Refuses a folder that is not the store that was set up.
 *
 * @param expected `id`: what `setup` got from `writeStoreMarker`, when that is known.
 * @throws with a sentence for an operator
 */
export async function checkStoreMarker(
  directory: string,
  expected: { store: StoreKind; id?: string },
): Promise<StoreMarker> {
  const marker = await readMarker(directory, expected.store);
  if (marker.store !== expected.store) {
    throw new Error(
      `${directory} was set up as the store of ${marker.store}, not of ${expected.store}. Use another folder.`,
    );
  }
  if (expected.id !== undefined && marker.id !== expected.id) {
    throw new Error(
      `${directory} is not the store of ${expected.store} that was set up (${marker.id}, not ${expected.id}). ` +
        'All gateways and workers must share one folder.',
    );
  }
  return marker;
}

async function readMarker(directory: string, store: StoreKind): Promise<StoreMarker> {
  try {
    return JSON.parse(await readFile(markerPath(directory), 'utf8')) as StoreMarker;
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? `it has no ${MARKER_NAME}` : String(error);
    throw new Error(
      `${directory} is not the store of ${store}: ${reason}. ` +
        'Run "longhaul setup" with the same folder, and make sure that all gateways and workers share it.',
      { cause: error },
    );
  }
}
