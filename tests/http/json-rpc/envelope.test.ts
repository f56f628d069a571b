import { describe, expect, it } from '@jest/globals';
import { BOB, HEADERS, message, post, rpc, send } from '../../support/gateway.ts';
import { sharedGateway } from '../../support/shared-gateway.ts';

describe('JSON-RPC on /a2a', () => {
  const gateway = sharedGateway({ service: { limits: { bodyBytesMax: 1_048_576, blockingMaxMs: 20_000 } } });
  const call = (fields: object) => post(gateway().url, JSON.stringify({ jsonrpc: '2.0', id: 1, ...fields }));

  it.each([
    ['no JSON', '{"jsonrpc":', -32700],
    ['nothing', '', -32700],
    ['bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), -32700],
    ['a number', '123', -32600],
    ['null', 'null', -32600],
    ['a string', '"SendMessage"', -32600],
    ['an empty batch', '[]', -32600],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x"}}]', -32600],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"GetTask"}', -32600],
  ])('answers %s with id null', async (_name, body, code) => {
    const { status, body: answer } = await post(gateway().url, body);
    expect(status).toBe(200);
    expect(answer).toEqual({ jsonrpc: '2.0', id: null, error: { code, message: expect.any(String) } });
  });

  it.each([
    ['no jsonrpc', { jsonrpc: undefined, method: 'GetTask' }, -32600],
    ['jsonrpc 1.0', { jsonrpc: '1.0', method: 'GetTask' }, -32600],
    ['no method', {}, -32600],
    ['a method that is a number', { method: 1 }, -32600],
    ['an unknown method', { method: 'Nope' }, -32601],
    ['a method of 0.3', { method: 'message/send' }, -32601],
    ['a name of a prototype', { method: 'constructor' }, -32601],
    ['no params', { method: 'SendMessage' }, -32602],
    ['params that are a list', { method: 'SendMessage', params: [] }, -32602],
    ['params that are null', { method: 'GetTask', params: null }, -32602],
    ['an empty task id', { method: 'GetTask', params: { id: '' } }, -32602],
    ['an unknown task', { method: 'GetTask', params: { id: 'tck-nonexistent' } }, -32001],
    ['push configurations', { method: 'CreateTaskPushNotificationConfig', params: {} }, -32602],
  ])('answers %s with its code and the id', async (_name, fields, code) => {
    const { status, body } = await call(fields);
    expect(status).toBe(200);
    expect(body).toMatchObject({ jsonrpc: '2.0', id: 1, error: { code } });
  });

  it.each([[0], [''], [1.5], [-1], [null], ['x'.repeat(10_240)]])(
    'echoes the id %j in results and in errors',
    async (id) => {
      const bad = await call({ id, method: 'GetTask', params: { id: 'unknown' } });
      expect(bad.body).toMatchObject({ id, error: { code: -32001 } });
      const good = await call({ id, method: 'SendMessage', params: { message: message('echo a') } });
      expect(good.body).toMatchObject({ id, result: { task: {} } });
    },
  );

  it('carries a notification out and answers it with nothing', async () => {
    const sent = message('echo quiet');
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'SendMessage', params: { message: sent } });
    const { status, text } = await post(gateway().url, body);
    expect([status, text]).toEqual([204, '']);
    const repeated = await rpc(gateway().url, 'SendMessage', { message: sent });
    expect(gateway().begun.filter((id) => id === repeated.body.result.task.id)).toHaveLength(1);
  });

  it.each([
    ['no parts', { parts: [] }, 'message.parts'],
    ['an unknown role', { role: 'ROLE_BOSS' }, 'message.role'],
    ['a part with two kinds of content', { parts: [{ text: 'a', url: 'http://a' }] }, 'message.parts[0]'],
    ['a part with none', { parts: [{ text: 'a' }, {}] }, 'message.parts[1]'],
    ['no messageId', { messageId: undefined }, 'message.messageId'],
  ])('names the field of a message with %s', async (_name, fields, field) => {
    const { body } = await call({ method: 'SendMessage', params: { message: { ...message('x'), ...fields } } });
    expect(body.error.code).toBe(-32602);
    expect(body.error.data).toEqual([
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'INVALID_PARAMS', domain: 'a2a-protocol.org' },
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [{ field, description: expect.any(String) }],
      },
    ]);
  });

  it('refuses JSON that is nested 10,000 deep, and lives on', async () => {
    const deep = '['.repeat(10_000) + ']'.repeat(10_000);
    const params = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":${deep}}]}}`;
    const { body } = await post(gateway().url, `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${params}}`);
    expect(body.error.code).toBe(-32602);
    expect((await send(gateway(), 'echo still here')).body.result.task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('takes both ProtoJSON spellings', async () => {
    const sent = {
      message_id: 'snake-1',
      context_id: 'my-context',
      role: 1,
      parts: [{ text: 'echo a', media_type: 'text/plain' }],
    };
    const { body } = await call({
      method: 'SendMessage',
      params: { message: sent, configuration: { history_length: 0 } },
    });
    expect(body.result.task.contextId).toBe('my-context');
    expect(body.result.task).not.toHaveProperty('history');
  });

  it.each([
    ['99.0', { 'A2A-Version': '99.0' }, '99.0'],
    ['0.2', { 'A2A-Version': '0.2' }, '0.2'],
  ])('refuses %s with -32009 and HTTP 400', async (_name, version, named) => {
    const { 'A2A-Version': _version, ...headers } = HEADERS;
    const { status, body } = await rpc(gateway().url, 'GetTask', { id: 'x' }, { ...headers, ...version });
    expect(status).toBe(400);
    expect(body).toMatchObject({ id: 7, error: { code: -32009, message: expect.stringContaining(named) } });
    expect(body.error.data[0].reason).toBe('VERSION_NOT_SUPPORTED');
  });

  it('ignores the patch digit, and takes the version from the query', async () => {
    const { 'A2A-Version': _version, ...headers } = HEADERS;
    const patch = await rpc(gateway().url, 'GetTask', { id: 'x' }, { ...headers, 'A2A-Version': '1.0.7' });
    expect(patch.body.error.code).toBe(-32001);
    const response = await fetch(`${gateway().url}/a2a?A2A-Version=1.0`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'x' } }),
    });
    expect(await response.json()).toMatchObject({ error: { code: -32001 } });
  });

  it('answers with and without a trailing slash', async () => {
    const response = await fetch(`${gateway().url}/a2a/`, {
      method: 'POST',
      headers: HEADERS,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'x' } }),
    });
    expect(await response.json()).toMatchObject({ error: { code: -32001 } });
  });

  it('gives another caller the bytes of an unknown task, for every operation', async () => {
    const { body } = await send(gateway(), 'ask');
    const theirs = body.result.task.id as string;
    for (const method of ['GetTask', 'CancelTask', 'SubscribeToTask']) {
      const foreign = await rpc(gateway().url, method, { id: theirs }, BOB);
      const unknown = await rpc(gateway().url, method, { id: `${theirs}x` }, BOB);
      expect(foreign.body.error.code).toBe(-32001);
      expect(foreign.text).toBe(unknown.text);
    }
    for (const method of ['SendMessage', 'SendStreamingMessage']) {
      const [foreign, unknown] = await Promise.all(
        [theirs, `${theirs}x`].map((taskId) =>
          rpc(gateway().url, method, { message: message('blue', { taskId }) }, BOB),
        ),
      );
      expect(foreign!.body.error.code).toBe(-32001);
      expect(foreign!.text).toBe(unknown!.text);
    }
  });

  it('keeps what a bug says to itself, and logs it with the ID that the caller gets', async () => {
    const { body } = await send(gateway(), 'hold', { configuration: { returnImmediately: true } });
    const { tasks } = gateway();
    const read = tasks.read.bind(tasks);
    tasks.read = () => Promise.reject(new Error('secret host temporal.internal:7233'));
    const answer = await rpc(gateway().url, 'GetTask', { id: body.result.task.id }).finally(() => {
      tasks.read = read;
    });
    expect(answer.status).toBe(200);
    expect(answer.body.error).toMatchObject({ code: -32603, message: 'Internal error' });
    expect(answer.text).not.toContain('secret');
    const { requestId } = answer.body.error.data[0].metadata;
    expect(answer.headers.get('x-request-id')).toBe(requestId);
    expect(gateway().log.some((line) => line.includes(requestId) && line.includes('temporal.internal'))).toBe(true);
  });

  it('answers 503 with a retryable error while Temporal is away, and heals', async () => {
    const sent = message('echo later');
    gateway().tasks.isTemporalUp = false;
    const away = await rpc(gateway().url, 'SendMessage', { message: sent });
    gateway().tasks.isTemporalUp = true;
    expect(away.status).toBe(503);
    expect(away.headers.get('retry-after')).toBe('1');
    expect(away.body).toMatchObject({
      id: 7,
      error: { code: -32000, data: [{ reason: 'UNAVAILABLE' }, { retryDelay: '1s' }] },
    });
    const { body } = await rpc(gateway().url, 'SendMessage', { message: sent });
    expect(body.result.task.status.state).toBe('TASK_STATE_COMPLETED');
  });
});
