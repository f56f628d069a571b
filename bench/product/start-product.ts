import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GatewayClient } from './gateway-client.ts';
import { createGatewayClient } from './gateway-client.ts';
import { startLonghaul } from './start-longhaul.ts';

/** `longhaul up` in a folder of its own, with its own Temporal. */
export interface Product extends AsyncDisposable {
  readonly pid: number;
  readonly temporalPid: number;
  readonly temporalAddress: string;
  readonly namespace: string;
  readonly client: GatewayClient;
  /** A further gateway, as a process of its own: what it needs is the gateway's alone. */
  startGateway(): Promise<ProductGateway>;
}

export interface ProductGateway extends AsyncDisposable {
  readonly pid: number;
  readonly client: GatewayClient;
}

const CONFIG = fileURLToPath(new URL('../project/a2a.yaml', import.meta.url));
const TOKEN = 'bench-'.repeat(6);
const ENV = {
  BENCH_TOKEN: TOKEN,
  LONGHAUL_SECRET: 'secret-'.repeat(6),
  // As `up` has it with its own server: the further gateway cannot know that it is the same one.
  LONGHAUL_HISTORY_POLLS_MAX: '10000',
};

export async function startProduct({ nodeFlags }: { nodeFlags: readonly string[] }): Promise<Product> {
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-bench-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  const place = ['--config', CONFIG, '--data-dir', join(folder, 'data'), '--port', '0', '--operator-port', '0'];
  const up = resources.use(await startLonghaul(['up', ...place], { cwd: folder, env: ENV, nodeFlags }));
  const { url, temporalAddress, namespace } = up.ready as Record<'url' | 'temporalAddress' | 'namespace', string>;
  const server = JSON.parse(await readFile(join(folder, 'data/temporal.json'), 'utf8')) as { pid: number };
  const client = resources.use(createGatewayClient(url, TOKEN));

  const owned = resources.move();
  return {
    pid: up.pid,
    temporalPid: server.pid,
    temporalAddress,
    namespace,
    client,
    async startGateway() {
      await using parts = new AsyncDisposableStack();
      const args = ['gateway', ...place, '--temporal-address', temporalAddress, '--namespace', namespace];
      const gateway = parts.use(await startLonghaul(args, { cwd: folder, env: ENV, nodeFlags }));
      const gatewayClient = parts.use(createGatewayClient(String(gateway.ready['url']), TOKEN));
      const kept = parts.move();
      return { pid: gateway.pid, client: gatewayClient, [Symbol.asyncDispose]: () => kept.disposeAsync() };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
