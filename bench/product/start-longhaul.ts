import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../bin/longhaul.js', import.meta.url));
const FLAGS = ['--conditions=longhaul-source', '--disable-warning=ExperimentalWarning'];

/** A process of the product: `up`, or `gateway`. */
export interface RunningLonghaul extends AsyncDisposable {
  readonly pid: number;
  /** What it says when it is ready. */
  readonly ready: Readonly<Record<string, unknown>>;
}

export async function startLonghaul(
  args: readonly string[],
  { cwd, env, nodeFlags = [] }: { cwd: string; env: Readonly<Record<string, string>>; nodeFlags?: readonly string[] },
): Promise<RunningLonghaul> {
  // A server that runs already is not the product's own.
  const { TEMPORAL_ADDRESS: _address, NODE_OPTIONS: _options, ...inherited } = process.env;
  const child = spawn(process.execPath, [...FLAGS, ...nodeFlags, BIN, ...args, '--json'], {
    cwd,
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const stderr = text(child.stderr);
  const line = once(createInterface({ input: child.stdout }), 'line').then(([first]) => first as string);
  const ready = await Promise.race([line, exited.then(() => undefined)]);
  if (ready === undefined) throw new Error(`longhaul ${args.join(' ')} did not start: ${await stderr}`);
  return {
    pid: child.pid ?? 0,
    ready: JSON.parse(ready) as Record<string, unknown>,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
