/** A gateway on free ports over the fake, and the requests that tests send to it. */
import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { HttpConfiguration, ServiceConfiguration } from '../../src/config/configuration.ts';
import { createCallerAuthenticator } from '../../src/auth/caller-authenticator.ts';
import { type GrpcListener, type GrpcListenOptions, listenGrpc } from '../../src/grpc/listener.ts';
import { createGrpcServices } from '../../src/grpc/services.ts';
import { findFreePort } from '../../src/temporal/server/free-port.ts';
import { createSurface } from '../../src/a2a/surface.ts';
import { createListCursors } from '../../src/contract/list-cursor.ts';
import type { Publication } from '../../src/domain/pipeline.ts';
import { createGateway } from '../../src/http/gateway-apps.ts';
import { listen, type Listener } from '../../src/http/listener.ts';
import { createLogger } from '../../src/observability/logger.ts';
import type { ArtifactStore } from '../../src/storage/artifact-store.ts';
import { createOutboundPolicy } from '../../src/net/outbound-policy.ts';
import { createTargetSeal } from '../../src/push/target-seal.ts';
import { createWebhookRegistry } from '../../src/push/webhook-registry.ts';
import { FakePushDeliveries } from './fake-push-deliveries.ts';
import { fakeStartTask, FakeTaskWorkflows } from './fake-task-workflows.ts';

export interface TestGateway extends AsyncDisposable {
  readonly url: string;
  readonly operatorUrl: string;
  /** `host:port`; empty unless asked for. */
  readonly grpcAddress: string;
  readonly grpcListener: GrpcListener | undefined;
  readonly publicListener: Listener;
  readonly tasks: FakeTaskWorkflows;
  readonly begun: readonly string[];
  readonly artifacts: Map<string, Buffer>;
  /** What is said when somebody asks for them. */
  readonly stores: { check(): Promise<void> };
  readonly deliveries: FakePushDeliveries;
  /** Lines of the log. */
  readonly log: string[];
}

export interface TestGatewayOptions {
  readonly service?: Partial<ServiceConfiguration>;
  readonly http?: Partial<HttpConfiguration>;
  /** Serves gRPC, too. */
  readonly grpc?: Partial<GrpcListenOptions> & { readonly stallMs?: number };
}

export const sha256 = (text: string | Buffer): Buffer => createHash('sha256').update(text).digest();

export async function startGateway({ service = {}, http = {}, grpc }: TestGatewayOptions = {}): Promise<TestGateway> {
  const tasks = new FakeTaskWorkflows();
  const startTask = fakeStartTask(tasks);
  const artifacts = new Map<string, Buffer>();
  const stores = { check: (): Promise<void> => Promise.resolve() };
  const log: string[] = [];
  const deliveries = new FakePushDeliveries();
  const grpcPort = grpc === undefined ? 0 : await findFreePort(0);
  const grpcAddress = grpc === undefined ? '' : `127.0.0.1:${grpcPort}`;
  const secret = 'secret-'.repeat(6);
  const isPushEnabled = service.push?.isEnabled ?? true;
  const logger = createLogger({ destination: { write: (line) => void log.push(line) } });
  const configuration = {
    publicUrl: 'https://agents.example.com/base',
    name: 'Longhaul',
    description: 'Durable research.',
    callers: [
      { id: 'alice', tenants: [], tokenHash: sha256('alice-token') },
      { id: 'bob', tenants: [], tokenHash: sha256('bob-token') },
    ],
    publications: [publication('echo', ['alice']), publication('shared', ['alice', 'bob'])],
    limits: { bodyBytesMax: 1_048_576, blockingMaxMs: 20_000 },
    discovery: 'authenticated',
    modifiedAt: new Date('2026-01-31T12:00:00.500Z'),
    extensions: [],
    push: { isEnabled: isPushEnabled },
    anonymous: null,
    defaultSkill: null,
    ...(grpc !== undefined && { publicGrpc: grpcAddress }),
    ...service,
  } as ServiceConfiguration;
  const surface = createSurface({
    tasks,
    startTask,
    service: configuration,
    webhooks: createWebhookRegistry({
      deliveries,
      seal: createTargetSeal(secret),
      policy: createOutboundPolicy([]),
      isEnabled: isPushEnabled,
    }),
    listCursors: createListCursors(Buffer.alloc(32, 7)),
    version: '1.2.3',
  });
  const { publicApp, operatorApp } = createGateway({
    tasks,
    surface,
    artifacts: memoryStore(artifacts),
    checkStores: () => stores.check(),
    deliveries,
    service: configuration,
    logger,
    http: {
      host: '127.0.0.1',
      port: 0,
      operatorHost: '127.0.0.1',
      operatorPort: 0,
      streamHeartbeatMs: 8_000,
      drainMs: 2_000,
      ...http,
    },
  });
  const publicListener = await listen({ app: publicApp, host: '127.0.0.1', port: 0, drainMs: 2_000 });
  const operatorListener = await listen({ app: operatorApp, host: '127.0.0.1', port: 0, drainMs: 2_000 });
  const grpcListener =
    grpc &&
    (await listenGrpc({
      createServices: (draining) =>
        createGrpcServices(surface, {
          authenticate: createCallerAuthenticator(configuration.callers),
          anonymous: configuration.anonymous,
          extensions: configuration.extensions,
          logger,
          draining,
          ...(grpc.stallMs !== undefined && { stallMs: grpc.stallMs }),
        }),
      host: '127.0.0.1',
      port: grpcPort,
      bodyBytesMax: configuration.limits.bodyBytesMax,
      heartbeatMs: 8_000,
      drainMs: 2_000,
      ...grpc,
    }));
  return {
    url: publicListener.url,
    grpcAddress,
    grpcListener,
    operatorUrl: operatorListener.url,
    publicListener,
    tasks,
    begun: startTask.begun,
    artifacts,
    deliveries,
    stores,
    log,
    async [Symbol.asyncDispose]() {
      await Promise.all([publicListener.drain(), operatorListener.drain(), grpcListener?.drain()]);
    },
  };
}

function memoryStore(artifacts: Map<string, Buffer>): ArtifactStore {
  return {
    put: () => Promise.reject(new Error('not used')),
    open: async (taskId, artifactId, hash) => {
      const bytes = artifacts.get(`${taskId}/${artifactId}/${hash}`);
      return bytes === undefined ? undefined : { stream: Readable.from(bytes), bytes: bytes.length };
    },
  };
}

function publication(id: string, allowedCallers: readonly string[]): Publication {
  return {
    id,
    name: `The ${id}`,
    description: `Does ${id}.`,
    revision: '0'.repeat(64),
    root: '/nowhere',
    pipeline: { id, stages: [] },
    plain: true,
    results: { stage: id, includePayload: true, artifacts: [] },
    questionsTo: 'caller',
    dedupe: 'message',
    allowedCallers,
    tags: ['test'],
    examples: [],
  };
}

export const HEADERS = {
  Authorization: 'Bearer alice-token',
  'Content-Type': 'application/json',
  'A2A-Version': '1.0',
} as const;

export const BOB = { ...HEADERS, Authorization: 'Bearer bob-token' } as const;

export interface RpcAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into whatever came
  readonly body: any;
}

export async function post(
  url: string,
  body: string | Uint8Array,
  headers: Record<string, string> = HEADERS,
): Promise<RpcAnswer> {
  const response = await fetch(`${url}/a2a`, { method: 'POST', headers, body: Buffer.from(body) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === '' ? undefined : JSON.parse(text) };
}

export async function rpc(
  url: string,
  method: string,
  params?: unknown,
  headers: Record<string, string> = HEADERS,
): Promise<RpcAnswer> {
  return post(url, JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }), headers);
}

export function message(text: string, more: Record<string, unknown> = {}) {
  return { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more };
}

export async function send(
  { url }: { url: string },
  text: string,
  { headers, configuration, ...more }: Record<string, unknown> & { headers?: Record<string, string> } = {},
): Promise<RpcAnswer> {
  return rpc(
    url,
    'SendMessage',
    { message: message(text, more), ...(configuration !== undefined && { configuration }) },
    headers,
  );
}

export interface SseEvent {
  readonly id?: string;
  readonly event?: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into whatever came
  readonly data: any;
}

export interface EventStream extends AsyncDisposable {
  readonly response: Response;
  /** The next event; undefined at the stream's end. */
  next(): Promise<SseEvent | undefined>;
  /** All events up to the end. */
  rest(): Promise<SseEvent[]>;
  readonly comments: string[];
}

export async function openStream(
  url: string,
  method: string,
  params: unknown,
  headers: Record<string, string> = HEADERS,
): Promise<EventStream> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
  return readEventStream((signal) => fetch(`${url}/a2a`, { method: 'POST', headers, body, signal }));
}

/** What a request is answered with, which must be a stream. */
export async function readEventStream(request: (signal: AbortSignal) => Promise<Response>): Promise<EventStream> {
  const ended = new AbortController();
  const response = await request(ended.signal);
  if (response.headers.get('content-type') !== 'text/event-stream') {
    throw new Error(`No stream, but ${response.status}: ${await response.text()}`);
  }
  const comments: string[] = [];
  const events = readEvents(response, comments);
  const next = async (): Promise<SseEvent | undefined> => {
    const { value, done } = await events.next();
    return done === true ? undefined : value;
  };
  return {
    response,
    comments,
    next,
    async rest() {
      const all: SseEvent[] = [];
      for (let event = await next(); event !== undefined; event = await next()) all.push(event);
      return all;
    },
    async [Symbol.asyncDispose]() {
      ended.abort();
    },
  };
}

async function* readEvents(response: Response, comments: string[]): AsyncGenerator<SseEvent, void, undefined> {
  let held = '';
  for await (const bytes of response.body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (held + bytes).split('\n\n');
    held = blocks.pop()!;
    for (const block of blocks) {
      const lines = block.split('\n');
      comments.push(...lines.filter((line) => line.startsWith(':')));
      const field = (name: string): string | undefined =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field('data');
      if (data === undefined) continue;
      const [id, event] = [field('id'), field('event')];
      yield { ...(id !== undefined && { id }), ...(event !== undefined && { event }), data: JSON.parse(data) };
    }
  }
  if (held !== '')
    throw new Error(`The stream ended within an event, ${held.length} characters: ${held.slice(0, 300)}`);
}
