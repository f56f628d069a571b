import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isTemporalHealthy } from '../connection.ts';
import { acquireFileLock } from './file-lock.ts';
import { findFreePort } from './free-port.ts';
import { findTemporalProgram } from './find-program.ts';
import type { ServerProcess } from './find-server-process.ts';
import { findServerProcess } from './find-server-process.ts';
import type { OnProgress } from './progress.ts';
import type { Durability } from './server-options.ts';
import { serverAddress, serverUiUrl } from './server-options.ts';
import { readServerRecord, withoutUser, withUser, writeServerRecord } from './server-record.ts';
import { startServer, stopServer } from './start-server.ts';

export interface FindOrStartTemporalOptions {
  /** `host:port` of a server that someone else runs: it is used as it is, and nothing is started. */
  readonly address?: string;
  /** The folder of the SQLite file, the log and `temporal.json`; made when it is missing. */
  readonly dataDir: string;
  /** Preferred ports; a taken one is replaced by a free one. 0: any free one. */
  readonly port?: number;
  readonly uiPort?: number;
  readonly durability?: Durability;
  /** Where a downloaded server is kept; the user's cache folder by default. */
  readonly cacheDir?: string;
  readonly onProgress?: OnProgress;
}

/** Disposing it stops the server if it is ours and nobody else uses it. */
export interface TemporalServer extends AsyncDisposable {
  readonly address: string;
  readonly uiUrl?: string;
  readonly pid?: number;
  /** False when it was named by its address, or found running on the data folder. */
  readonly startedHere: boolean;
}

const PORT_DEFAULT = 7233;
const UI_PORT_DEFAULT = 8233;
const LOCK_TIMEOUT_MS = 16 * 60_000; // longer than a slow download
const LEFTOVER_TIMEOUT_MS = 30_000;
const POLL_MS = 100;
const START_ATTEMPTS = 3;

/**
 * The Temporal server to work with: the named one; else the one that is running on the data folder's SQLite file, left
 * over from a killed process or shared with a living one; else a new one. A server that merely listens on the default
 * port is not ours and is left alone.
 */
export async function findOrStartTemporal(options: FindOrStartTemporalOptions): Promise<TemporalServer> {
  if (options.address) {
    return { address: options.address, startedHere: false, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const dataDir = await realpath(options.dataDir); // one name, since a running server is known by the path of its file
  const onProgress = options.onProgress ?? (() => undefined);
  using _lock = await lockServer(dataDir, onProgress);

  const databasePath = join(dataDir, 'temporal.db');
  const leftover = await findLeftover(databasePath);
  const server = leftover ?? (await startNew({ ...options, dataDir, databasePath, onProgress }));
  const [address, uiUrl] = [serverAddress(server), serverUiUrl(server)];
  onProgress({
    message: `Temporal ${leftover ? 'was running already' : 'is running'} at ${address}, its UI at ${uiUrl}`,
  });

  const record = await readServerRecord(dataDir);
  const isSame = record?.pid === server.pid;
  await writeServerRecord(dataDir, {
    address,
    uiUrl,
    pid: server.pid,
    startedAt: isSame ? record.startedAt : new Date().toISOString(),
    users: withUser(isSame ? record.users : []),
  });
  let isReleased = false;
  return {
    address,
    uiUrl,
    pid: server.pid,
    startedHere: !leftover,
    async [Symbol.asyncDispose]() {
      if (isReleased) return;
      isReleased = true;
      await release(dataDir, server.pid);
    },
  };
}

async function lockServer(dataDir: string, onProgress: OnProgress): Promise<Disposable> {
  return acquireFileLock(join(dataDir, 'temporal.lock'), {
    timeoutMs: LOCK_TIMEOUT_MS,
    busyMessage: `Another process has been starting a Temporal server in ${dataDir} for too long`,
    onWait: () =>
      onProgress({ message: 'Waiting for another process that is starting or stopping the Temporal server' }),
  });
}

/** A server on our file may be starting (its starter was killed) or ending; never start a second one beside it. */
async function findLeftover(databasePath: string): Promise<ServerProcess | undefined> {
  const deadline = Date.now() + LEFTOVER_TIMEOUT_MS;
  for (;;) {
    const found = await findServerProcess(databasePath);
    if (!found) return undefined;
    if (await isTemporalHealthy({ address: serverAddress(found) })) return found;
    if (Date.now() > deadline) {
      throw new Error(
        `A Temporal server (process ${found.pid}) has ${databasePath} open but does not answer at ` +
          `${serverAddress(found)}. Stop that process and try again.`,
      );
    }
    await delay(POLL_MS);
  }
}

async function startNew({
  dataDir,
  databasePath,
  port = PORT_DEFAULT,
  uiPort = UI_PORT_DEFAULT,
  durability = 'full',
  cacheDir,
  onProgress,
}: FindOrStartTemporalOptions & { databasePath: string; onProgress: OnProgress }): Promise<ServerProcess> {
  const program = await findTemporalProgram({ dataDir, onProgress, ...(cacheDir && { cacheDir }) });
  for (let attempt = 1; ; attempt++) {
    // A port that was free may be taken by the time the server listens: then again, with others.
    const ports = {
      port: await findFreePort(attempt === 1 ? port : 0),
      uiPort: await findFreePort(attempt === 1 ? uiPort : 0),
    };
    onProgress({ message: `Starting a Temporal development server on ${databasePath}` });
    try {
      return await startServer({ program, dataDir, databasePath, ports, durability });
    } catch (error) {
      if (attempt === START_ATTEMPTS) throw error;
    }
  }
}

async function release(dataDir: string, pid: number): Promise<void> {
  using _lock = await lockServer(dataDir, () => undefined);
  const record = await readServerRecord(dataDir);
  if (record?.pid !== pid) return; // it died, and another one has taken its place
  const users = withoutUser(record.users);
  await writeServerRecord(dataDir, { ...record, users });
  if (users.length > 0) return;
  const running = await findServerProcess(join(dataDir, 'temporal.db'));
  if (running?.pid === pid) await stopServer(pid);
}
