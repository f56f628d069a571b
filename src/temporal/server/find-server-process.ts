import { readFileSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { runCommand } from './run-command.ts';
import type { ServerPorts } from './server-options.ts';
import { portsOfServer } from './server-options.ts';

export interface ServerProcess extends ServerPorts {
  readonly pid: number;
}

const LIST_TIMEOUT_MS = 10_000;

/**
 * The development server that has this SQLite file open, whoever started it. The process table is asked, and no file
 * of ours, because a starter can be killed between starting the server and noting it.
 */
export async function findServerProcess(databasePath: string): Promise<ServerProcess | undefined> {
  for await (const { pid, commandLine } of processes()) {
    const ports = portsOfServer(commandLine, databasePath);
    if (ports) return { pid, ...ports };
  }
  return undefined;
}

/** False also for a process that has ended and waits to be reaped, which in some containers nobody does. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function* processes(): AsyncGenerator<{ pid: number; commandLine: string[] }> {
  if (process.platform === 'linux') {
    for (const entry of await readdir('/proc')) {
      if (!/^\d+$/.test(entry)) continue;
      const commandLine = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => ''); // it has just ended
      if (commandLine) yield { pid: Number(entry), commandLine: commandLine.split('\0') };
    }
    return;
  }
  const { stdout } = await runCommand('ps', ['-axww', '-o', 'pid=,command='], { timeoutMs: LIST_TIMEOUT_MS });
  for (const line of stdout.split('\n')) {
    const found = /^\s*(\d+)\s+(.*)$/.exec(line);
    // ps joins the arguments with blanks, and so does a path with a blank in it: take what lies between the flags.
    if (found?.[1] && found[2]) yield { pid: Number(found[1]), commandLine: splitByFlags(found[2]) };
  }
}

function splitByFlags(command: string): string[] {
  return command.split(/ (?=--)/).flatMap((part) => {
    const blank = part.startsWith('--') ? part.indexOf(' ') : -1;
    return blank < 0 ? part.split(' ') : [part.slice(0, blank), part.slice(blank + 1)];
  });
}
