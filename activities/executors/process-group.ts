import { spawn } from 'node:child_process';
import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 20;

/** Reads until the worker says that all is over, or is gone; in the second case ends the group. Its own group outlives the other. */
const GUARD_SCRIPT = 'read -r line && exit 0; kill -s TERM -- "-$1"; sleep 2; kill -s KILL -- "-$1"';

export interface ProcessGroup extends AsyncDisposable {
  readonly process: ChildProcessWithoutNullStreams;
  /** How the first process of the group ended; rejects when it could not be started. */
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Ends every process of the group: SIGTERM, and SIGKILL for what is left after the grace. */
  stop(): Promise<void>;
}

/**
 * Starts a command, without a shell, as the head of a process group of its own, so that whatever it starts ends with it.
 * When this process dies without a word (SIGKILL), a guard ends the group in its place.
 */
export function startProcessGroup(
  command: readonly string[],
  options: { cwd: string; env: Readonly<Record<string, string>>; graceMs: number },
): ProcessGroup {
  const [program = '', ...args] = command;
  const { cwd, env, graceMs } = options;
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const exit = exitOf(child);
  exit.catch(() => undefined); // whoever awaits it is told
  const guard = child.pid === undefined ? undefined : startGuard(child.pid);
  let stopped: Promise<void> | undefined;

  async function stopOnce(pid: number): Promise<void> {
    const deadline = performance.now() + graceMs;
    signalGroup(pid, 'SIGTERM');
    while (signalGroup(pid, 0) && performance.now() < deadline) await sleep(POLL_MS);
    signalGroup(pid, 'SIGKILL');
    await exit.catch(() => undefined);
    guard?.stdin?.end('over\n');
  }

  const stop = () => (stopped ??= child.pid === undefined ? Promise.resolve() : stopOnce(child.pid));
  return { process: child, exit, stop, [Symbol.asyncDispose]: stop };
}

function exitOf(child: ChildProcess): ProcessGroup['exit'] {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

/** Whether there is still anything in the group to take the signal. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

function startGuard(pid: number): ChildProcess {
  const guard = spawn('sh', ['-c', GUARD_SCRIPT, 'longhaul-guard', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a `sh` there is no guard; the command runs all the same.
  guard.on('error', () => undefined);
  guard.stdin.on('error', () => undefined);
  guard.unref();
  return guard;
}
