import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { checkStoreMarker, writeStoreMarker } from '../../src/storage/store-marker.ts';
import { temporaryFolder } from '../support/environment.ts';

describe('store marker', () => {
  it('is written once, also by several processes at the same time', async () => {
    await using folder = await temporaryFolder();
    const directory = join(folder.path, 'payloads');
    const markers = await Promise.all(Array.from({ length: 8 }, () => writeStoreMarker(directory, 'payloads')));
    expect(new Set(markers.map(({ id }) => id)).size).toBe(1);
    expect(await checkStoreMarker(directory, { store: 'payloads', id: markers[0]?.id ?? '' })).toEqual(markers[0]);
  });

  it('refuses a folder that was never set up', async () => {
    await using folder = await temporaryFolder();
    await expect(checkStoreMarker(folder.path, { store: 'artifacts' })).rejects.toThrow(
      /is not the store of artifacts.*longhaul setup/,
    );
    await expect(checkStoreMarker(join(folder.path, 'missing'), { store: 'artifacts' })).rejects.toThrow(
      /is not the store of artifacts/,
    );
  });

  it('refuses a folder of the other kind, and another folder of the same kind', async () => {
    await using folder = await temporaryFolder();
    await writeStoreMarker(folder.path, 'payloads');
    await expect(checkStoreMarker(folder.path, { store: 'artifacts' })).rejects.toThrow(
      /set up as the store of payloads/,
    );
    await expect(checkStoreMarker(folder.path, { store: 'payloads', id: 'another' })).rejects.toThrow(
      /must share one folder/,
    );
  });
});
