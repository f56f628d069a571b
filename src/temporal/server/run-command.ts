import { spawn } from 'node:child_process';

export interface CommandOutput {
  /** `null` when the program could not be started or was stopped by a signal. */
  readonly exitCode: number | null;
  readonly stdout: string;
  /** Standard error; the reason, when the program could not be started. */
  readonly stderr: string;
}

const OUTPUT_CHARACTERS_MAX = 64 * 1024;

/** Runs a program to its end, never throws for what the program does. It is killed after `timeoutMs`. */
export async function runCommand(
  command: string,
  args: readonly string[],
  { timeoutMs, env = process.env }: { timeoutMs: number; env?: NodeJS.ProcessEnv },
): Promise<CommandOutput> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
    // Not spawn's own `timeout`: its timer goes on, and keeps us running, when the program is not found.
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    let stdout = '';
    let stderr = '';
    child.stdout
      .setEncoding('utf8')
      .on('data', (text: string) => (stdout = (stdout + text).slice(-OUTPUT_CHARACTERS_MAX)));
    child.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => (stderr = (stderr + text).slice(-OUTPUT_CHARACTERS_MAX)));
    child.on('error', (error) => {
      clearTimeout(timer);
      resolve({ exitCode: null, stdout, stderr: error.message });
    });
    child.on('close', (exitCode) => {
      clearTimeout(timer);
      resolve({ exitCode, stdout, stderr });
    });
  });
}
