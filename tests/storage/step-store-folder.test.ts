import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Json } from '../../src/domain/json.ts';
import { createFolderStepStore } from '../../src/storage/step-store-folder.ts';

describe('createFolderStepStore', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'steps-'));
  });
  afterEach(async () => {
    await rm(directory, { recursive: true });
  });

  const key = { taskId: 'task-1', stageId: 'plan', name: 'sources' };

  it.each<[Json | undefined]>([[undefined], [null], [0], [''], [{ a: [1, { b: null }] }], ['x'.repeat(3_000_000)]])(
    'gives another process the value that was put',
    async (value) => {
      await createFolderStepStore(directory).put(key, value);
      expect(await createFolderStepStore(directory).get(key)).toEqual({ value });
    },
  );

  it('knows nothing of a step that was not done', async () => {
    expect(await createFolderStepStore(directory).get(key)).toBeUndefined();
  });

  it('tells apart task, stage, element and name', async () => {
    const store = createFolderStepStore(directory);
    const keys = [
      key,
      { ...key, taskId: 'task-2' },
      { ...key, stageId: 'gather' },
      { ...key, element: 0 },
      { ...key, element: 1 },
      { ...key, name: '../../outside' },
    ];
    await Promise.all(keys.map((each, index) => store.put(each, index)));
    expect(await Promise.all(keys.map((each) => store.get(each)))).toEqual(keys.map((_, value) => ({ value })));
    expect((await readdir(directory)).sort()).toEqual(['.new', 'task-1', 'task-2']);
  });

  it('shows a whole value while others write the same key', async () => {
    const stores = [createFolderStepStore(directory), createFolderStepStore(directory)];
    await stores[0]!.put(key, 'start'.repeat(10_000));
    const writes = Array.from({ length: 20 }, (_, index) => stores[index % 2]!.put(key, String(index).repeat(50_000)));
    const reads = Array.from({ length: 20 }, () => stores[0]!.get(key));
    for (const read of await Promise.all(reads)) expect(read?.value).toEqual(expect.any(String));
    await Promise.all(writes);
    expect(await readdir(join(directory, 'task-1'))).toHaveLength(1);
  });
});
