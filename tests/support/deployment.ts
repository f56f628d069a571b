/** The product as it is deployed: gateways and workers as processes of their own on a real Temporal, and requests to them. */
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import type { Task } from '../../src/domain/a2a.ts';
import { writeStoreMarker } from '../../src/storage/store-marker.ts';
import { findFreePort } from '../../src/temporal/server/free-port.ts';
import { type RunningLonghaul, startLonghaul } from '../cli/run-longhaul.ts';
import { temporaryFolder, testServer, uniqueTaskQueue } from './environment.ts';
import { eventually } from './eventually.ts';
import { type EventStream, message, openStream, post, rpc, type RpcAnswer } from './gateway.ts';

export interface DeploymentOptions {
  /** How many of each are started; 1 unless said. */
  readonly gateways?: number;
  readonly workers?: number;
  /** Beside Alice and Bob; lower-case words. Who counts tasks needs callers of its own: the namespace is that of the whole run. */
  readonly callers?: readonly string[];
  /** Elements of `publications`, as YAML that begins with `- id: …`; beside `stub`. */
  readonly publications?: string;
  /** Further keys of `a2a.yaml`, as YAML: `limits: { body_bytes: 4096 }`. */
  readonly settings?: string;
  /** Further files of its folder, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Of gateways and workers. */
  readonly env?: Readonly<Record<string, string>>;
  /** The server of the run unless said. */
  readonly temporal?: {
    readonly address: string;
    readonly namespace: string;
    /** Where a process finds it instead: a proxy. */
    readonly addressFor?: (name: ProcessName) => string;
  };
}

/** `gateway0` is the first. */
export type ProcessName = `gateway${number}` | `worker${number}`;

export interface RequestOptions {
  /** Alice unless said. */
  readonly as?: string;
  /** Index of the gateway that is asked; the first unless said. */
  readonly gateway?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SendOptions extends RequestOptions {
  readonly configuration?: Readonly<Record<string, unknown>>;
  /** Further fields of the message: `messageId`, `taskId`, `contextId`, `metadata` … */
  readonly message?: Readonly<Record<string, unknown>>;
}

/** A line of what the stub executor has written down. */
export interface StubCall {
  /** It began, was given an answer, returned, or waits at a gate. */
  readonly event: 'run' | 'heard' | 'returned' | 'waits';
  /** First 200 characters of the message, or of the answer. */
  readonly text: string;
  /** Of the message that began the task. */
  readonly messageId: string;
  readonly caller: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly pid: number;
}

export interface Deployment extends AsyncDisposable {
  readonly folder: string;
  readonly taskQueue: string;
  url(gateway?: number): string;
  operatorUrl(gateway?: number): string;
  headers(caller?: string): Record<string, string>;
  /** JSON-RPC, with the ID 7. */
  rpc(method: string, params: unknown, options?: RequestOptions): Promise<RpcAnswer>;
  /** Any body. */
  post(body: string | Uint8Array, options?: RequestOptions): Promise<RpcAnswer>;
  /** SendMessage of a text, with a new messageId unless the message says which. */
  send(text: string, options?: SendOptions): Promise<RpcAnswer>;
  stream(method: string, params: unknown, options?: RequestOptions): Promise<EventStream>;
  /** As the first caller sees it; fails when it gets an error. */
  task(id: string, options?: RequestOptions): Promise<Task>;
  /** Waits until the task is in this state. */
  reaches(id: string, state: Task['status']['state'], options?: RequestOptions): Promise<Task>;
  /** SIGKILL; returns when the process is gone. */
  kill(...names: ProcessName[]): Promise<void>;
  /** SIGTERM; returns when the processes are gone, with how each has ended. */
  stop(...names: ProcessName[]): Promise<readonly Ended[]>;
  /** Of a process that runs. */
  pidOf(name: ProcessName): number;
  /** Starts what was killed or stopped, at the same ports; returns when it is ready. */
  restart(...names: ProcessName[]): Promise<void>;
  /** What the stub executor has written down, in order. */
  calls(which?: Partial<StubCall>): Promise<StubCall[]>;
  /** Lets `wait <gate>` pass. */
  open(gate: string): Promise<void>;
}

type Ended = Awaited<RunningLonghaul['exited']>;

const CALLERS = ['alice', 'bob'];
const tokenOf = (caller: string): string => `${caller}-`.repeat(9);

/** Each process needs some seconds to start, and more on a busy machine. */
const START_LIMIT_MS = 120_000;

/**
 * Starts gateways and workers, with the publication `stub` for Alice and Bob, and waits until they are ready. The namespace is that of
 * the whole run, and so are its messageIds: one that two tests use is one message.
 */
export async function startDeployment(options: DeploymentOptions = {}): Promise<Deployment> {
  const { gateways = 1, workers = 1, callers = [] } = options;
  await using resources = new AsyncDisposableStack();
  const { path: folder } = resources.use(await temporaryFolder());
  const ports = await chooseFreePorts(gateways * 2);
  const urls = ports.slice(0, gateways).map((port) => `http://127.0.0.1:${port}`);
  const operatorUrls = ports.slice(gateways).map((port) => `http://127.0.0.1:${port}`);
  await writeProject(folder, urls[0] ?? 'http://127.0.0.1:4000', options);

  const taskQueue = uniqueTaskQueue();
  const { address, namespace } = options.temporal ?? testServer();
  const place = {
    cwd: folder,
    env: {
      ...Object.fromEntries([...CALLERS, ...callers].map((id) => [`${id.toUpperCase()}_TOKEN`, tokenOf(id)])),
      LONGHAUL_SECRET: 'secret-'.repeat(6),
      LONGHAUL_TASK_QUEUE: taskQueue,
      LONGHAUL_LOG_LEVEL: 'warn',
      // Short, so that a killed worker is soon missed; long enough for a busy machine.
      LONGHAUL_HEARTBEAT_TIMEOUT_MS: '5000',
      ...options.env,
    },
  };
  const running = new Map<ProcessName, RunningLonghaul>();
  resources.defer(async () => {
    await endAll([...running.keys()], 'SIGKILL');
  });
  const killAtExit = (): void => {
    for (const each of running.values()) each.signal('SIGKILL');
  };
  process.once('exit', killAtExit); // also when the run is interrupted
  resources.defer(() => void process.removeListener('exit', killAtExit));

  async function start(name: ProcessName): Promise<void> {
    if (running.has(name)) throw new Error(`${name} runs already`);
    const index = Number(/\d+$/.exec(name)?.[0]);
    const at = ['--temporal-address', options.temporal?.addressFor?.(name) ?? address, '--namespace', namespace];
    const listeners = ['--port', portOf(urls[index]), '--operator-port', portOf(operatorUrls[index])];
    const args = name.startsWith('gateway') ? ['gateway', ...at, ...listeners] : ['worker', ...at];
    running.set(name, await startLonghaul(args, place));
  }

  async function endAll(names: readonly ProcessName[], signal: NodeJS.Signals): Promise<Ended[]> {
    return Promise.all(
      names.map(async (name) => {
        const each = runningOne(name);
        each.signal(signal);
        const ended = await each.exited;
        running.delete(name);
        return ended;
      }),
    );
  }

  function runningOne(name: ProcessName): RunningLonghaul {
    const each = running.get(name);
    if (each === undefined) throw new Error(`${name} does not run`);
    return each;
  }

  const urlOf = (gateway = 0): string => urls[gateway] ?? '';
  const headersOf = ({ as = 'alice', headers = {} }: RequestOptions): Record<string, string> => ({
    Authorization: `Bearer ${tokenOf(as)}`,
    'Content-Type': 'application/json',
    'A2A-Version': '1.0',
    ...headers,
  });
  const call = (method: string, params: unknown, request: RequestOptions = {}): Promise<RpcAnswer> =>
    rpc(urlOf(request.gateway), method, params, headersOf(request));
  const getTask = async (id: string, request?: RequestOptions): Promise<Task> => {
    const { body, text } = await call('GetTask', { id }, request);
    if (body?.result === undefined) throw new Error(`GetTask: ${text}`);
    return body.result as Task;
  };

  await Promise.all([
    ...Array.from({ length: gateways }, (_, index) => start(`gateway${index}`)),
    ...Array.from({ length: workers }, (_, index) => start(`worker${index}`)),
  ]);

  const owned = resources.move();
  return {
    folder,
    taskQueue,
    url: urlOf,
    operatorUrl: (gateway = 0) => operatorUrls[gateway] ?? '',
    headers: (caller = 'alice') => headersOf({ as: caller }),
    rpc: call,
    post: (body, request = {}) => post(urlOf(request.gateway), body, headersOf(request)),
    send: (text, { configuration, message: fields, ...request } = {}) =>
      call(
        'SendMessage',
        { message: message(text, fields), ...(configuration !== undefined && { configuration }) },
        request,
      ),
    stream: (method, params, request = {}) => openStream(urlOf(request.gateway), method, params, headersOf(request)),
    task: getTask,
    reaches: (id, state, request) =>
      eventually(async () => {
        const task = await getTask(id, request);
        if (task.status.state !== state) throw new Error(`${id} is ${task.status.state}, not ${state}`);
        return task;
      }),
    async kill(...names) {
      await endAll(names, 'SIGKILL');
    },
    stop: (...names) => endAll(names, 'SIGTERM'),
    pidOf: (name) => runningOne(name).ready['pid'] as number,
    async restart(...names) {
      await Promise.all(names.map(start));
    },
    async calls(which = {}) {
      const wanted = Object.entries(which);
      const all = await readCalls(folder);
      return all.filter((line) => wanted.every(([key, value]) => line[key as keyof StubCall] === value));
    },
    open: (gate) => writeFile(join(folder, gate), ''),
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}

/** One deployment for a file of tests: call it to get at the running one. */
export function sharedDeployment(options?: DeploymentOptions): () => Deployment {
  let deployment: Deployment | undefined;
  beforeAll(async () => {
    deployment = await startDeployment(options);
  }, START_LIMIT_MS);
  afterAll(async () => {
    await deployment?.[Symbol.asyncDispose]();
  });
  return () => {
    if (deployment === undefined) throw new Error('The deployment runs within tests only');
    return deployment;
  };
}

async function writeProject(folder: string, publicUrl: string, options: DeploymentOptions): Promise<void> {
  const files = { 'a2a.yaml': serviceFile(publicUrl, options), 'calls.jsonl': '', ...options.files };
  await copyFile(join(import.meta.dirname, '../fixtures/stub-executor.ts'), join(folder, 'stub-executor.ts'));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  // As `longhaul setup` does; the namespace is the run's.
  await writeStoreMarker(join(folder, '.longhaul/payloads'), 'payloads');
  await writeStoreMarker(join(folder, '.longhaul/artifacts'), 'artifacts');
}

function serviceFile(publicUrl: string, { publications = '', settings = '', callers = [] }: DeploymentOptions): string {
  const all = [...CALLERS, ...callers];
  return `version: 1
public_url: ${publicUrl}
callers:
${all.map((id) => `  - { id: ${id}, token_env: ${id.toUpperCase()}_TOKEN }`).join('\n')}
publications:
  - id: stub
    name: Stub
    description: Does what it is told.
    executor: { kind: function, module: ./stub-executor.ts, export: stub }
    gates: [free_text, confirm]
    input_modes: [text/*, application/*, image/*]
    allowed_callers: [${all.join(', ')}]
${publications.trim().replace(/^/gm, '  ')}
dispatch: { default_skill: stub }
${settings}
`;
}

/** All at once: one after the other may be the same. */
async function chooseFreePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await findFreePort(0));
  return [...ports];
}

function portOf(url = 'http://127.0.0.1:0'): string {
  return new URL(url).port;
}

async function readCalls(folder: string): Promise<StubCall[]> {
  const lines = (await readFile(join(folder, 'calls.jsonl'), 'utf8')).split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as StubCall);
}
