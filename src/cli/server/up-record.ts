import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** `<data>/longhaul.json`: where the `longhaul up` of this data folder is to be found while it runs. */
export interface UpRecord {
  readonly pid: number;
  readonly url: string;
  readonly operatorUrl: string;
  readonly grpcAddress?: string;
  readonly temporalAddress: string;
  readonly temporalUiUrl?: string;
  readonly namespace: string;
  readonly configPath: string;
}

export const DATA_DIR_DEFAULT = '.longhaul';

/** The record, if the process that wrote it lives. */
export async function readUpRecord(dataDir: string = DATA_DIR_DEFAULT): Promise<UpRecord | undefined> {
  try {
    const record = JSON.parse(await readFile(recordPath(dataDir), 'utf8')) as UpRecord;
    process.kill(record.pid, 0);
    return record;
  } catch {
    return undefined; // none, or left over from a killed process
  }
}

/** Disposing it removes the record. */
export async function writeUpRecord(dataDir: string, record: UpRecord): Promise<AsyncDisposable> {
  const path = recordPath(dataDir);
  await writeFile(`${path}.new`, `${JSON.stringify(record, undefined, 2)}\n`);
  await rename(`${path}.new`, path);
  return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
}

function recordPath(dataDir: string): string {
  return join(resolve(dataDir), 'longhaul.json');
}
