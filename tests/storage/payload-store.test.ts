import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { createPayloadStore } from '../../src/storage/payload-store.ts';
import { temporaryFolder } from '../support/environment.ts';

const pathOf = (directory: string, key: string): string => join(directory, key.slice(0, 2), key.slice(2, 4), key);

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe('createPayloadStore', () => {
  it('gives back the bytes that were put, under their SHA-256', async () => {
    await using folder = await temporaryFolder();
    const store = createPayloadStore({ directory: folder.path });
    const content = randomBytes(1_000_003);

    const key = await store.put(content);

    expect(key).toBe(createHash('sha256').update(content).digest('hex'));
    expect(Buffer.compare(await store.get(key), content)).toBe(0);
  });

  it('keeps an empty payload', async () => {
    await using folder = await temporaryFolder();
    const store = createPayloadStore({ directory: folder.path });
    expect(await store.get(await store.put(new Uint8Array()))).toHaveLength(0);
  });

  it('holds the same content once, whoever writes it at the same time', async () => {
    await using folder = await temporaryFolder();
    const content = randomBytes(300_000);
    const keys = await Promise.all(
      Array.from({ length: 16 }, () => createPayloadStore({ directory: folder.path }).put(content)),
    );

    expect(new Set(keys).size).toBe(1);
    expect(await filesIn(folder.path)).toEqual([pathOf(folder.path, keys[0] ?? '')]);
  });

  it('refuses damaged bytes, and mends them when they are put again', async () => {
    await using folder = await temporaryFolder();
    const store = createPayloadStore({ directory: folder.path });
    const content = randomBytes(50_000);
    const key = await store.put(content);
    await writeFile(pathOf(folder.path, key), content.subarray(0, 49_999));

    await expect(store.get(key)).rejects.toThrow(/damaged/);
    await store.put(content);
    expect(Buffer.compare(await store.get(key), content)).toBe(0);
  });

  it('says that a payload is missing', async () => {
    await using folder = await temporaryFolder();
    await expect(createPayloadStore({ directory: folder.path }).get('a'.repeat(64))).rejects.toThrow(
      /is not in .* shared/,
    );
  });

  it.each([
    '../../etc/passwd',
    `../${'a'.repeat(61)}`,
    'A'.repeat(64),
    '',
    `${'a'.repeat(64)}\n`,
    `${'a'.repeat(64)}/x`,
  ])('takes nothing but a hash as a reference: %j', async (reference) => {
    await using folder = await temporaryFolder();
    await expect(createPayloadStore({ directory: folder.path }).get(reference)).rejects.toThrow(/not a SHA-256/);
  });

  it('renews the time of content that is put again, so that a sweep by age spares it', async () => {
    await using folder = await temporaryFolder();
    const store = createPayloadStore({ directory: folder.path });
    const key = await store.put(Buffer.from('x'));
    await utimes(pathOf(folder.path, key), 1, 1);
    await store.put(Buffer.from('x'));
    expect((await stat(pathOf(folder.path, key))).mtimeMs).toBeGreaterThan(1_000_000);
  });

  it('shows no half-written payload after its writer was killed, and removes old remains', async () => {
    await using folder = await temporaryFolder();
    const module = join(import.meta.dirname, '../../src/storage/payload-store.ts');
    // Writes different big payloads for ever; killed after the first ones are there.
    const writer = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `
      const { createPayloadStore } = await import(${JSON.stringify(module)});
      const store = createPayloadStore({ directory: ${JSON.stringify(folder.path)} });
      for (let i = 0; ; i++) { await store.put(Buffer.alloc(4_000_000, String(i))); process.stdout.write('.'); }`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    await once(writer.stdout, 'data');
    writer.kill('SIGKILL');
    await once(writer, 'close');

    const store = createPayloadStore({ directory: folder.path });
    const keys = (await filesIn(folder.path))
      .filter((path) => dirname(path) !== join(folder.path, 'new'))
      .map((path) => path.slice(-64));
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) expect(await store.get(key)).toHaveLength(4_000_000);

    await rm(join(folder.path, 'new'), { recursive: true });
    await mkdir(join(folder.path, 'new'));
    const remains = join(folder.path, 'new', 'remains');
    await writeFile(remains, 'half');
    await utimes(remains, 1, 1);
    await createPayloadStore({ directory: folder.path }).put(Buffer.from('y'));
    expect(await readdir(join(folder.path, 'new'))).toEqual([]);
  });
});
