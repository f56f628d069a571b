import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createFolderArtifactStore } from '../../src/storage/artifact-store-folder.ts';

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

describe('createFolderArtifactStore', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'artifacts-'));
  });
  afterEach(async () => {
    await rm(directory, { recursive: true });
  });

  it('gives back the bytes that it was given, and says their size and hash', async () => {
    const store = createFolderArtifactStore(directory);
    const content = Buffer.from([0, 255, 10, 13, 0]);
    const stored = await store.put('task-1', 'answer', content);
    expect(stored).toEqual({ bytes: 5, sha256: sha256(content) });
    const opened = await store.open('task-1', 'answer', stored.sha256);
    expect(opened?.bytes).toBe(5);
    expect(await buffer(opened!.stream)).toEqual(content);
  });

  it('takes a stream of any length, and nothing at all', async () => {
    const store = createFolderArtifactStore(directory);
    const chunks = Array.from({ length: 300 }, (_, index) => Buffer.alloc(65_536, index % 251));
    const whole = Buffer.concat(chunks);
    expect(await store.put('task-1', 'big', Readable.from(chunks))).toEqual({
      bytes: whole.byteLength,
      sha256: sha256(whole),
    });
    expect(await store.put('task-1', 'empty', new Uint8Array())).toEqual({ bytes: 0, sha256: sha256('') });
  });

  it('keeps other bytes under the same ID as another object', async () => {
    const store = createFolderArtifactStore(directory);
    const one = await store.put('task-1', 'answer', Buffer.from('one'));
    await store.put('task-1', 'answer', Buffer.from('two'));
    expect(await text((await store.open('task-1', 'answer', one.sha256))!.stream)).toBe('one');
  });

  it.each(['..', '../../outside', '/etc/passwd', 'a/b', '', '.', 'a\0b', 'ü', 'x'.repeat(500), '.hidden'])(
    'stays in its folder for the ID %j',
    async (id) => {
      const inner = join(directory, 'inner');
      const store = createFolderArtifactStore(inner);
      const stored = await store.put(id, id, Buffer.from('here'));
      expect(await text((await store.open(id, id, stored.sha256))!.stream)).toBe('here');
      expect(await readdir(directory)).toEqual(['inner']);
      expect(await readdir(inner)).toHaveLength(2); // and what is unfinished
    },
  );

  it.each(['..', '../answer/x', 'A'.repeat(64), ''])('opens nothing for the hash %j', async (hash) => {
    const store = createFolderArtifactStore(directory);
    await store.put('task-1', 'answer', Buffer.from('x'));
    expect(await store.open('task-1', 'answer', hash)).toBeUndefined();
  });

  it('leaves no file behind when the stream breaks', async () => {
    const store = createFolderArtifactStore(directory);
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('half');
        throw new Error('source is gone');
      })(),
    );
    await expect(store.put('task-1', 'answer', broken)).rejects.toThrow('source is gone');
    expect(await readdir(directory)).toEqual(['.new']);
    expect(await readdir(join(directory, '.new'))).toEqual([]);
  });

  it('bears two writers of the same bytes', async () => {
    const stores = [createFolderArtifactStore(directory), createFolderArtifactStore(directory)];
    const content = Buffer.alloc(100_000, 7);
    const stored = await Promise.all(stores.flatMap((store) => [1, 2, 3].map(() => store.put('t', 'a', content))));
    expect(new Set(stored.map((each) => each.sha256)).size).toBe(1);
    expect(await readdir(join(directory, 't', 'a'))).toEqual([sha256(content)]);
  });
});
