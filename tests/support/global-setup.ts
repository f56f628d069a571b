import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { findOrStartTemporal } from '../../src/temporal/server/find-or-start-temporal.ts';
import { isAlive } from '../../src/temporal/server/find-server-process.ts';
import { createProgressPrinter } from '../../src/temporal/server/progress.ts';
import { setUpNamespace } from '../../src/temporal/setup/set-up-namespace.ts';
import { keepForTeardown } from './global-teardown.ts';
import { provideEnvironment } from './provided-environment.ts';
import { buildWorkflowBundle } from './workflow-bundle.ts';

export const TEST_NAMESPACE = 'longhaul-test';

/** One real server, namespace and workflow bundle for the whole run; `environment.ts` hands them to the tests. */
export default async function globalSetup(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'longhaul-test-'));
  const server = await findOrStartTemporal({
    // NORMAL: what a power cut loses is no concern of these tests.
    dataDir,
    port: 0,
    uiPort: 0,
    durability: 'normal',
    onProgress: createProgressPrinter(process.stderr),
  });
  // The server outlives its starter by design; not this one, also when the run is interrupted.
  process.once('exit', () => {
    if (server.pid !== undefined && isAlive(server.pid)) process.kill(server.pid);
  });
  keepForTeardown(async () => {
    await server[Symbol.asyncDispose]();
    await rm(dataDir, { recursive: true, force: true });
  });
  const connection = await connectTemporal({ address: server.address });
  try {
    await setUpNamespace(connection, { namespace: TEST_NAMESPACE });
  } finally {
    await connection.close();
  }
  const workflowBundlePath = await buildWorkflowBundle();
  provideEnvironment({
    address: server.address,
    namespace: TEST_NAMESPACE,
    dataDir,
    ...(workflowBundlePath && { workflowBundlePath }),
  });
}
