import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { createFolderArtifactStore } from '../../src/storage/artifact-store-folder.ts';
import { createPayloadStore } from '../../src/storage/payload-store.ts';
import { writeStoreMarker } from '../../src/storage/store-marker.ts';
import { temporaryFolder } from '../support/environment.ts';

const AWAY = { kind: 'unavailable', retryAfterSeconds: 1 };

it('what a share that is not mounted lacks is not lost, and nothing is written in its place', async () => {
  await using folder = await temporaryFolder();
  const directory = join(folder.path, 'share');
  await writeStoreMarker(directory, 'payloads');
  const payloads = createPayloadStore({ directory, isMarked: true });
  const artifacts = createFolderArtifactStore(directory, { isMarked: true });
  const key = await payloads.put(Buffer.from('payload'));
  const { sha256 } = await artifacts.put('task', 'artifact', Buffer.from('artifact'));

  await rename(directory, `${directory}.away`);
  await expect(payloads.get(key)).rejects.toMatchObject(AWAY);
  await expect(payloads.put(Buffer.from('more'))).rejects.toMatchObject(AWAY);
  await expect(artifacts.open('task', 'artifact', sha256)).rejects.toMatchObject(AWAY);
  await expect(artifacts.put('task', 'more', Buffer.from('more'))).rejects.toMatchObject(AWAY);
  await rm(directory, { recursive: true, force: true });
  await rename(`${directory}.away`, directory);

  expect(Buffer.from(await payloads.get(key)).toString()).toBe('payload');
  await expect(payloads.get('a'.repeat(64))).rejects.toThrow(/is not in/);
});

it('what the file system refuses is the store being away, too, and says to callers nothing of where it is', async () => {
  await using folder = await temporaryFolder();
  const directory = join(folder.path, 'file');
  await writeFile(directory, 'no folder');
  const error: unknown = await createPayloadStore({ directory })
    .put(Buffer.from('x'))
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject(AWAY);
  expect((error as Error).message).not.toContain(directory);
  expect(String((error as Error).cause)).toContain(directory);
});
