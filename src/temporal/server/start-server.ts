import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isTemporalHealthy } from '../connection.ts';
import { isAlive } from './find-server-process.ts';
import type { ServerProcess } from './find-server-process.ts';
import type { Durability, ServerPorts } from './server-options.ts';
import { serverAddress, serverArguments } from './server-options.ts';

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 15_000;
const POLL_MS = 50;
const HEALTH_TIMEOUT_MS = 1_000;
const LOG_TAIL_CHARACTERS = 600;

/**
 * Starts a development server that outlives this process, and waits until it answers. Its output goes to
 * `<data>/temporal.log`; that of the start before is kept as `temporal.log.1`.
 *
 * @throws when it ends or does not answer in time, with the end of its log.
 */
export async function startServer({
  program,
  dataDir,
  databasePath,
  ports,
  durability,
}: {
  program: string;
  dataDir: string;
  databasePath: string;
  ports: ServerPorts;
  durability: Durability;
}): Promise<ServerProcess> {
  const logPath = join(dataDir, 'temporal.log');
  await rename(logPath, `${logPath}.1`).catch(() => undefined); // the first start has none
  const log = await open(logPath, 'w');
  try {
    // A process group of its own, so that Ctrl-C in a terminal reaches us and not the server under our feet.
    const child = spawn(program, serverArguments(databasePath, ports, durability), {
      cwd: dataDir,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    await once(child, 'spawn');
    child.unref();
    const { pid } = child;
    if (pid === undefined) throw new Error('The Temporal server has no process ID');

    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!(await isTemporalHealthy({ address: serverAddress(ports) }, HEALTH_TIMEOUT_MS))) {
      const hasEnded = child.exitCode !== null || child.signalCode !== null;
      if (hasEnded || Date.now() > deadline) {
        if (!hasEnded) await stopServer(pid);
        const output = (await readFile(logPath, 'utf8')).trim().slice(-LOG_TAIL_CHARACTERS);
        throw new Error(
          `The Temporal server ${hasEnded ? 'ended while it started' : 'did not answer in time'} (${logPath}): ${output}`,
        );
      }
      await delay(POLL_MS);
    }
    return { pid, ...ports };
  } finally {
    await log.close();
  }
}

/** Asks the server to end, and after a while makes it. Returns when it is gone. */
export async function stopServer(pid: number): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const deadline = Date.now() + STOP_TIMEOUT_MS;
    try {
      process.kill(pid, signal);
    } catch {
      return; // it has ended
    }
    while (isAlive(pid)) {
      if (Date.now() > deadline) break;
      await delay(POLL_MS);
    }
    if (!isAlive(pid)) return;
  }
}
