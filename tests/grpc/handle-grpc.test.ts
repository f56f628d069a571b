import { A2AService } from '@a2a-js/sdk/server/grpc';
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { grpcMethod, rpcStatusOf, toAnswer, toMetadata, toRequest } from '../bindings/grpc-client.ts';
import { HEADERS, message, sha256 } from '../support/gateway.ts';
import { sharedGateway } from '../support/shared-gateway.ts';
import { ask, askRaw, connect, open } from './grpc-rig.ts';

const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo';
const EXTENSION = 'https://example.com/ext';

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
