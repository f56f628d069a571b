/** The command as its user runs it: as a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

const ROOT = join(import.meta.dirname, '../..');
const BIN = join(ROOT, 'bin/longhaul.js');
/** Given here, the bin need not start Node a second time; and the many processes of a test strip each file's types once. */
const SOURCE_FLAGS = ['--conditions=longhaul-source', '--disable-warning=ExperimentalWarning'];
const COMPILE_CACHE = join(ROOT, 'node_modules/.cache/longhaul-test/compiled');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Place {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the command to its end. */
export async function longhaul(args: readonly string[], place: Place): Promise<Ended> {
  const child = start(args, place);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

export interface RunningLonghaul extends AsyncDisposable {
  /** Its first line of JSON: a server says so that it is ready. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** All that it said on standard output, when it has ended. */
  readonly stdout: Promise<string>;
  signal(signal: NodeJS.Signals): void;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Runs a command (with --json) that goes on, and returns when it has said something. Disposal ends it by SIGTERM. */
export async function startLonghaul(args: readonly string[], place: Place): Promise<RunningLonghaul> {
  const child = start([...args, '--json'], place);
  const exited = once(child, 'exit').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }));
  const stderr = text(child.stderr);
  const stdout = text(child.stdout);
  const line = once(createInterface({ input: child.stdout }), 'line').then(([first]) => first as string);
  const ready = await Promise.race([line, exited.then(() => undefined)]);
  if (ready === undefined) throw new Error(`longhaul ${args[0] ?? ''} did not start: ${await stderr}`);
  return {
    ready: JSON.parse(ready) as Record<string, unknown>,
    stdout,
    signal: (signal) => child.kill(signal),
    exited,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function start(args: readonly string[], { cwd, env }: Place) {
  // Jest's own options in the environment are not for the child.
  const { NODE_OPTIONS: _options, LONGHAUL_URL: _url, LONGHAUL_TOKEN: _token, ...inherited } = process.env;
  return spawn(process.execPath, [...SOURCE_FLAGS, BIN, ...args], {
    cwd,
    env: { ...inherited, NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
