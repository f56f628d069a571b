import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '../domain/json.ts';
import { folderName } from './folder-name.ts';
import type { StepKey, StepStore } from './step-store.ts';
import { createDurableWriter } from './write-durably.ts';

/** What stands in the file; the key is there for whoever looks into the folder. */
interface StepFile {
  readonly key: StepKey;
  /** Absent when the step returned nothing. */
  readonly value?: Json;
}

/** `<directory>/<task>/<hash of the key>.json`; any number of processes may share the directory. */
export function createFolderStepStore(directory: string): StepStore {
  const folderOf = ({ taskId }: StepKey) => join(directory, folderName(taskId));
  const writeDurably = createDurableWriter(join(directory, '.new'));

  return {
    async get(key) {
      let text: string;
      try {
        text = await readFile(join(folderOf(key), fileName(key)), 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
      const { value } = JSON.parse(text) as StepFile;
      return { value };
    },

    async put(key, value) {
      const file: StepFile = { key, ...(value !== undefined && { value }) };
      const text = JSON.stringify(file);
      await writeDurably(async (handle) => {
        await handle.writeFile(text);
        return join(folderOf(key), fileName(key));
      });
    },
  };
}

function fileName({ taskId, stageId, element, name }: StepKey): string {
  const parts = JSON.stringify([taskId, stageId, element ?? null, name]);
  return `${createHash('sha256').update(parts).digest('hex')}.json`;
}
