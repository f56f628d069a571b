import { A2AService } from '@a2a-js/sdk/server/grpc';
import { type Client, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connectGrpc, grpcMethod, rpcStatusOf, toAnswer, toMetadata, toRequest } from '../bindings/grpc-client.ts';
import { eventually } from '../support/eventually.ts';
import { HEADERS, message, send, sha256, startGateway, type TestGateway } from '../support/gateway.ts';
import { sharedGateway } from '../support/shared-gateway.ts';

const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo';
const EXTENSION = 'https://example.com/ext';

const clients: Client[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

function connect({ grpcAddress }: TestGateway): Client {
  const client = connectGrpc(grpcAddress);
  clients.push(client);
  return client;
}

interface Answer {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into whatever came
  readonly result?: any;
  readonly error?: ServiceError;
  /** Initial metadata. */
  readonly metadata: Metadata;
}

async function ask(
  gateway: TestGateway,
  method: string,
  params: unknown,
  headers: Record<string, string> = HEADERS,
): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  let metadata = new Metadata();
  const call = grpcMethod(connect(gateway), method)(toRequest(method, params), toMetadata(headers), (error, answer) =>
    resolve(error === null ? { result: toAnswer(method, answer), metadata } : { error, metadata }),
  );
  call.on('metadata', (given: Metadata) => {
    metadata = given;
  });
  return promise;
}

/** Any bytes to any path. */
async function askRaw(gateway: TestGateway, path: string, bytes: Buffer): Promise<ServiceError | null> {
  const { promise, resolve } = Promise.withResolvers<ServiceError | null>();
  const asIs = (value: Buffer): Buffer => value;
  connect(gateway).makeUnaryRequest(path, asIs, asIs, bytes, toMetadata(HEADERS), (error) => resolve(error));
  return promise;
}

function open(
  gateway: TestGateway,
  method: string,
  params: unknown,
  headers: Record<string, string> = HEADERS,
  deadline = Infinity,
) {
  const call = grpcMethod(connect(gateway), method)(toRequest(method, params), toMetadata(headers), { deadline });
  const ended = Promise.withResolvers<ServiceError | undefined>();
  call.on('error', (error: ServiceError) => ended.resolve(error));
  call.on('end', () => ended.resolve(undefined));
  return { call, ended: ended.promise };
}

/** A connection that can be cut. */
async function startWire(target: string): Promise<{ address: string; cut(): void } & AsyncDisposable> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    const [host = '', port = ''] = target.split(':');
    const onward = createConnection({ host, port: Number(port) });
    for (const each of [socket, onward]) sockets.push(each.on('error', () => undefined));
    socket.pipe(onward).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
    },
  };
}

async function hold(gateway: TestGateway): Promise<string> {
  const { body } = await send(gateway, 'hold', { configuration: { returnImmediately: true } });
  return body.result.task.id as string;
}

/** How many streams the gateway has open, and how many events they have asked for. */
function watchFollowers({ tasks }: TestGateway): { open: number; pulled: number } {
  const seen = { open: 0, pulled: 0 };
  const follow = tasks.follow.bind(tasks);
  tasks.follow = async function* (...args) {
    seen.open += 1;
    try {
      for await (const item of follow(...args)) {
        seen.pulled += 1;
        yield item;
      }
    } finally {
      seen.open -= 1;
    }
  };
  return seen;
}

describe('A2A over gRPC', () => {
  const gateway = sharedGateway({
    grpc: {},
    service: {
      callers: [
        { id: 'alice', tenants: [], tokenHash: sha256('alice-token') },
        { id: 'bob', tenants: [], tokenHash: sha256('bob-token') },
      ],
      extensions: [{ uri: EXTENSION, required: false }],
    },
  });

  it('answers a message, also to an API key and with a request ID of its own', async () => {
    const { Authorization: _, ...others } = HEADERS;
    const headers = { ...others, 'X-API-Key': 'alice-token', 'X-Request-Id': 'req-7' };
    const { result, metadata } = await ask(gateway(), 'SendMessage', { message: message('echo hi') }, headers);
    expect(result.task).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ parts: [{ text: 'hi' }] }],
    });
    expect(metadata.get('x-request-id')).toEqual(['req-7']);
  });

  it.each<[string, Record<string, string>]>([
    ['no credentials', { Authorization: '' }],
    ['a wrong token', { Authorization: 'Bearer mallory-token' }],
    ['another scheme', { Authorization: 'Basic YTpi' }],
    ['two different ones', { 'X-API-Key': 'bob-token' }],
  ])('refuses %s with 16, before anything else', async (_name, more) => {
    const headers = { ...HEADERS, 'A2A-Version': '99.0', ...more };
    const { error } = await ask(gateway(), 'GetTask', { id: 'x' }, headers);
    expect(error?.code).toBe(status.UNAUTHENTICATED);
    expect(rpcStatusOf(error!).details[0]).toMatchObject({ reason: 'UNAUTHENTICATED' });
  });

  it.each<[string, string, unknown, Record<string, string>, status, string]>([
    ['an unknown task', 'GetTask', { id: 'none' }, {}, status.NOT_FOUND, 'TASK_NOT_FOUND'],
    ['no message', 'SendMessage', {}, {}, status.INVALID_ARGUMENT, 'INVALID_PARAMS'],
    ['no version', 'GetTask', { id: 'x' }, { 'A2A-Version': '' }, status.FAILED_PRECONDITION, 'VERSION_NOT_SUPPORTED'],
    ['0.3', 'GetTask', { id: 'x' }, { 'A2A-Version': '0.3' }, status.FAILED_PRECONDITION, 'VERSION_NOT_SUPPORTED'],
  ])('refuses %s as §5.4 and §10.6 say', async (_name, method, params, more, code, reason) => {
    const { error } = await ask(gateway(), method, params, { ...HEADERS, ...more });
    expect(error).toMatchObject({ code, details: expect.stringMatching(/./) });
    expect(rpcStatusOf(error!)).toMatchObject({
      code,
      message: error!.details,
      details: [{ type: ERROR_INFO, reason, domain: 'a2a-protocol.org' }, ...(reason === 'INVALID_PARAMS' ? [{}] : [])],
    });
  });

  it('refuses what a task cannot do, on streams too', async () => {
    const { result } = await ask(gateway(), 'SendMessage', { message: message('echo x') });
    const { id } = result.task;
    expect((await ask(gateway(), 'CancelTask', { id })).error?.code).toBe(status.FAILED_PRECONDITION);
    const { call, ended } = open(gateway(), 'SubscribeToTask', { id });
    call.resume();
    expect((await ended)?.code).toBe(status.FAILED_PRECONDITION);
    const asked = (await ask(gateway(), 'SendMessage', { message: message('ask') })).result.task;
    const film = { parts: [{ raw: 'AAAA', mediaType: 'video/mp4' }], taskId: asked.id };
    const { error } = await ask(gateway(), 'SendMessage', { message: message('', film) });
    expect(error?.code).toBe(status.INVALID_ARGUMENT);
    expect(rpcStatusOf(error!).details[0]?.reason).toBe('CONTENT_TYPE_NOT_SUPPORTED');
  });

  it('says when to come again while Temporal is away', async () => {
    gateway().tasks.isTemporalUp = false;
    const { error } = await ask(gateway(), 'SendMessage', { message: message('echo later') });
    gateway().tasks.isTemporalUp = true;
    expect(error?.code).toBe(status.UNAVAILABLE);
    expect(rpcStatusOf(error!).details).toContainEqual({
      type: 'type.googleapis.com/google.rpc.RetryInfo',
      retryDelay: { seconds: 1 },
    });
  });

  it('tells in the metadata which extensions are active, under the name they were declared by', async () => {
    for (const name of ['a2a-extensions', 'x-a2a-extensions']) {
      const { metadata } = await ask(gateway(), 'ListTasks', {}, { ...HEADERS, [name]: `urn:other, ${EXTENSION}` });
      expect(metadata.get(name)).toEqual([EXTENSION]);
    }
  });

  it('refuses bytes that are no request, and goes on', async () => {
    const { path } = A2AService.sendMessage;
    const far = Buffer.from('3a0b08ffffffffffffffff7f1001', 'hex'); // statusTimestampAfter, in the year 292277026596
    const cases: [string, Buffer][] = [
      [path, Buffer.from([0x0a, 0xff])],
      [path, Buffer.alloc(1000, 0xff)],
      [A2AService.listTasks.path, far],
    ];
    for (const [method, bytes] of cases) {
      const error = await askRaw(gateway(), method, bytes);
      expect([error?.code, error?.details]).toEqual([status.INVALID_ARGUMENT, 'The request cannot be read']);
    }
    expect((await askRaw(gateway(), '/lf.a2a.v1.A2AService/Nothing', Buffer.alloc(0)))?.code).toBe(
      status.UNIMPLEMENTED,
    );
    expect((await ask(gateway(), 'ListTasks', {})).result.pageSize).toBe(50);
  });

  it('refuses a request over the limit of a body', async () => {
    const { error } = await ask(gateway(), 'SendMessage', { message: message('x'.repeat(1_100_000)) });
    expect(error?.code).toBe(status.RESOURCE_EXHAUSTED);
  });

  it('keeps data as it is: null, numbers and empty things', async () => {
    const data = [null, { a: null, b: [], c: {}, d: 9_007_199_254_740_991, e: 0.1, f: '' }, false, 0, ''];
    const parts = [{ text: 'hold' }, ...[null, data].map((each) => ({ data: each, mediaType: 'application/json' }))];
    const metadata = { n: null, list: [null, 1] };
    const { result } = await ask(gateway(), 'SendMessage', {
      message: message('', { parts: parts.slice(0, 1), metadata }),
      configuration: { returnImmediately: true },
    });
    const { id } = result.task;
    expect(result.task.history[0].metadata).toEqual(metadata);
    gateway().tasks.record(id, { type: 'artifact', artifact: { artifactId: 'a', parts: parts.slice(1) } });
    // What is sent, too, in the SDK's own form, as its ProtoJSON loses a null.
    const sent = toRequest('SendMessage', { message: message('hold') }) as { message: { parts: unknown[] } };
    sent.message.parts.push({ content: { $case: 'data', value: null }, filename: '', mediaType: '' });
    const kept = Promise.withResolvers<unknown>();
    const stream = grpcMethod(connect(gateway()), 'SendStreamingMessage')(sent, toMetadata(HEADERS));
    stream.on('error', () => undefined).once('data', kept.resolve);
    expect(toAnswer('SendStreamingMessage', await kept.promise).task.history[0].parts[1]).toEqual({ data: null });
    const read = (await ask(gateway(), 'GetTask', { id })).result;
    expect(read.artifacts[0].parts).toEqual(parts.slice(1));
  });

  it('reads times to the millisecond, the last one included', async () => {
    const { result } = await ask(gateway(), 'SendMessage', { message: message('echo now', { contextId: 'times' }) });
    const { timestamp } = result.task.status as { timestamp: string };
    expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const after = new Date(Date.parse(timestamp) + 1).toISOString();
    const count = async (statusTimestampAfter: string) =>
      (await ask(gateway(), 'ListTasks', { contextId: 'times', statusTimestampAfter })).result.totalSize as number;
    expect([await count(timestamp), await count(after)]).toEqual([1, 0]);
  });
});

describe('a stream over gRPC', () => {
  it('ends with its call: cancelled, past its deadline, or with the connection gone', async () => {
    await using gateway = await startGateway({ grpc: {} });
    const followers = watchFollowers(gateway);
    const id = await hold(gateway);
    const start = async () => {
      const { call } = open(gateway, 'SubscribeToTask', { id });
      await once(call, 'data');
      await eventually(() => followers.open === 1 || undefined);
      return call;
    };
    (await start()).cancel();
    await eventually(() => followers.open === 0 || undefined);

    const { call: late, ended } = open(gateway, 'SubscribeToTask', { id }, HEADERS, Date.now() + 500);
    late.resume();
    expect((await ended)?.code).toBe(status.DEADLINE_EXCEEDED);
    await eventually(() => followers.open === 0 || undefined);

    await using wire = await startWire(gateway.grpcAddress);
    const { call, ended: cut } = open({ ...gateway, grpcAddress: wire.address }, 'SubscribeToTask', { id });
    await once(call, 'data');
    wire.cut();
    expect((await cut)?.code).toBe(status.UNAVAILABLE);
    await eventually(() => followers.open === 0 || undefined);
    expect((await ask(gateway, 'GetTask', { id })).result.status.state).toBe('TASK_STATE_WORKING');
  });

  it('asks for no more than its reader takes', async () => {
    await using gateway = await startGateway({ grpc: {} });
    const followers = watchFollowers(gateway);
    const id = await hold(gateway);
    const { call, ended } = open(gateway, 'SubscribeToTask', { id });
    await once(call, 'data');
    call.pause();
    const { tasks } = gateway;
    for (let index = 1; index <= 300; index += 1) tasks.chunk(id, index, `${index} `.padEnd(32 * 1024, '.'));
    tasks.status(id, 'TASK_STATE_COMPLETED');
    let before = -1;
    await eventually(async () => {
      const isQuiet = followers.pulled === before;
      before = followers.pulled;
      await delay(100);
      return isQuiet || undefined;
    });
    expect(followers.pulled).toBeLessThan(100);
    const numbers: number[] = [];
    call.on('data', (event) => {
      const { artifactUpdate } = toAnswer('SubscribeToTask', event);
      if (artifactUpdate !== undefined) numbers.push(Number.parseInt(artifactUpdate.artifact.parts[0].text, 10));
    });
    call.resume();
    expect(await ended).toBeUndefined();
    expect(numbers).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
  });

  it('is given up when nobody reads it', async () => {
    await using gateway = await startGateway({ grpc: { stallMs: 200 } });
    const followers = watchFollowers(gateway);
    const id = await hold(gateway);
    const { call } = open(gateway, 'SubscribeToTask', { id });
    await once(call, 'data');
    call.pause();
    for (let index = 1; index <= 500; index += 1) gateway.tasks.chunk(id, index, 'x'.repeat(64 * 1024));
    await eventually(() => followers.open === 0 || undefined);
    call.cancel();
  });

  it('ends as unavailable when the gateway drains, and a call that waits is answered', async () => {
    await using gateway = await startGateway({ grpc: {} });
    const id = await hold(gateway);
    const { call, ended } = open(gateway, 'SubscribeToTask', { id });
    await once(call, 'data');
    const waiting = ask(gateway, 'SendMessage', { message: message('hold') });
    await eventually(() => gateway.begun.length === 2 || undefined);
    await gateway.grpcListener!.drain();
    expect((await ended)?.code).toBe(status.UNAVAILABLE);
    expect((await waiting).result.task.status.state).toMatch(/SUBMITTED|WORKING/);
    expect((await ask(gateway, 'GetTask', { id })).error?.code).toBe(status.UNAVAILABLE);
  });
});
