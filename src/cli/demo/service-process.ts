import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { CommandError } from '../command-error.ts';
import { EXIT } from '../exit-codes.ts';

export interface ServiceProcess extends AsyncDisposable {
  readonly pid: number;
  /** SIGKILL, as a crash would; returns when the process is gone. */
  kill(): Promise<void>;
}

const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 30_000;
const LOG_TAIL_CHARACTERS = 800;

/**
 * Starts this same command with other arguments (which include --json), and waits until it says that it is ready. Its log
 * goes to `logPath`. Disposing it asks it to end, and waits for that.
 */
export async function startService(
  args: readonly string[],
  { logPath, env }: { logPath: string; env: NodeJS.ProcessEnv },
): Promise<ServiceProcess> {
  const log = await open(logPath, 'a');
  const [, entry = ''] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, entry, ...args], {
    env,
    stdio: ['ignore', 'pipe', log.fd],
  });
  const { pid, stdout } = child;
  await log.close();
  const exited = once(child, 'exit').then(() => 'exited' as const);
  const lines = createInterface({ input: stdout ?? process.stdin });
  const ready = once(lines, 'line').then(() => 'ready' as const);
  const timer = new AbortController();
  const late = delay(START_TIMEOUT_MS, 'late' as const, { signal: timer.signal }).catch(() => 'late' as const);
  const outcome = await Promise.race([ready, exited, late]);
  timer.abort();
  if (outcome !== 'ready' || pid === undefined) {
    child.kill('SIGKILL');
    const tail = (await readFile(logPath, 'utf8')).trim().slice(-LOG_TAIL_CHARACTERS);
    throw new CommandError(EXIT.failed, 'start', `longhaul ${args[0] ?? ''} did not start (${logPath}):\n${tail}`);
  }

  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  return {
    pid,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    async [Symbol.asyncDispose]() {
      if (hasEnded()) return;
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(force);
    },
  };
}
