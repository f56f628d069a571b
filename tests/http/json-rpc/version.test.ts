/** Which version of the protocol answers, and how A2A 0.3 looks on the URL of 1.0. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { HEADERS, openStream, rpc, send, startGateway, type TestGateway } from '../../support/gateway.ts';

const { 'A2A-Version': _version, ...NO_VERSION } = HEADERS;
const LEGACY = { ...NO_VERSION, 'A2A-Version': '0.3' };

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(async () => {
  await gateway[Symbol.asyncDispose]();
});

const message = (text: string, more: Record<string, unknown> = {}) => ({
  kind: 'message',
  messageId: randomUUID(),
  role: 'user',
  parts: [{ kind: 'text', text }],
  ...more,
});

const legacy = (method: string, params?: unknown, headers: Record<string, string> = LEGACY) =>
  rpc(gateway.url, method, params, headers);

async function asked(): Promise<string> {
  const { body } = await legacy('message/send', { message: message('ask') });
  return body.result.id as string;
}

describe('the version of a request', () => {
  it.each<[string, Record<string, string>]>([
    ['none', {}],
    ['an empty one', { 'A2A-Version': '' }],
    ['0.3', { 'A2A-Version': '0.3' }],
    ['0.3.0', { 'A2A-Version': '0.3.0' }],
  ])('%s is 0.3', async (_, version) => {
    const { status, body } = await legacy('tasks/get', { id: 'x' }, { ...NO_VERSION, ...version });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: 7, error: { code: -32001 } });
  });

  it('may stand in the query', async () => {
    const ask = async (version: string, method: string) => {
      const response = await fetch(`${gateway.url}/a2a?A2A-Version=${version}`, {
        method: 'POST',
        headers: NO_VERSION,
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { id: 'x' } }),
      });
      return ((await response.json()) as { error: { code: number } }).error.code;
    };
    expect(await ask('0.3', 'tasks/get')).toBe(-32001);
    expect(await ask('1.0', 'tasks/get')).toBe(-32601);
    expect(await ask('1.0', 'GetTask')).toBe(-32001);
    expect(await ask('0.3', 'GetTask')).toBe(-32601);
  });

  it.each(['99.0', '0.2', '2.0'])('%s is refused, and the others are named', async (version) => {
    const { status, body } = await legacy('tasks/get', { id: 'x' }, { ...NO_VERSION, 'A2A-Version': version });
    expect(status).toBe(400);
    expect(body).toMatchObject({ id: 7, error: { code: -32009, message: expect.stringMatching(/1\.0, 0\.3/) } });
  });
});

describe('A2A 0.3', () => {
  it('reads in its own form what was sent in 1.0, and 1.0 what was sent in 0.3', async () => {
    const sent = await send(gateway, 'ask');
    const { body: read } = await legacy('tasks/get', { id: sent.body.result.task.id });
    expect(read.result).toMatchObject({
      kind: 'task',
      status: { state: 'input-required', message: { kind: 'message', role: 'agent' } },
      history: [{ kind: 'message', role: 'user', parts: [{ kind: 'text', text: 'ask' }] }],
    });
    const id = await asked();
    const { body } = await rpc(gateway.url, 'GetTask', { id });
    expect(body.result).toMatchObject({
      id,
      status: { state: 'TASK_STATE_INPUT_REQUIRED', message: { role: 'ROLE_AGENT' } },
      history: [{ role: 'ROLE_USER', parts: [{ text: 'ask' }] }],
    });
    expect(JSON.stringify(body)).not.toMatch(/"kind":"(task|message|text|data)"/);
  });

  it('has its own form of errors, with what is wrong in them', async () => {
    const { status, body } = await legacy('message/send', { message: message('x', { parts: [] }) });
    expect(status).toBe(200);
    expect(body.error).toMatchObject({
      code: -32602,
      data: { reason: 'INVALID_PARAMS', fieldViolations: [{ field: 'message.parts' }] },
    });
  });

  it.each<[number, string, unknown]>([
    [-32601, 'tasks/list', {}],
    [-32602, 'tasks/get', undefined],
    [-32602, 'tasks/get', []],
    [-32602, 'tasks/get', { id: 5 }],
    [-32602, 'tasks/get', { id: 'x', historyLength: -1 }],
    [-32602, 'message/send', {}],
    [-32602, 'message/send', { message: null }],
    [-32602, 'message/send', { message: { role: 'user', messageId: 'a', parts: [null] } }],
    [-32602, 'message/send', { message: { role: 'user', messageId: 'a', parts: [{ kind: 'text', text: 5 }] } }],
    [-32602, 'message/send', { message: { role: 'user', messageId: 'a', parts: [{ kind: 'file' }] } }],
    [-32602, 'message/send', { message: { role: 'user', messageId: 'a', parts: [], extensions: 7 } }],
    [-32602, 'message/stream', { message: { role: 'ROLE_USER', messageId: 'a', parts: [] } }],
    [-32602, 'tasks/pushNotificationConfig/set', { taskId: 'x' }],
    [-32001, 'tasks/cancel', { id: 'x' }],
    [-32001, 'tasks/resubscribe', { id: 'x' }],
  ])('%i: %s %j', async (code, method, params) => {
    const { status, body, text } = await legacy(method, params);
    expect([status, body.id, body.error.code]).toEqual([200, 7, code]);
    expect(text).not.toMatch(/undefined|iterable|not a function|Cannot read/);
    expect(gateway.begun).toEqual([]);
  });

  it('answers within a stream where its client waits for one, but not while Temporal is away', async () => {
    const headers = { ...LEGACY, Accept: 'text/event-stream' };
    for (const [method, params, code] of [
      ['tasks/resubscribe', { id: 'x' }, -32001],
      ['message/stream', { message: message('x', { parts: [] }) }, -32602],
    ] as const) {
      await using events = await openStream(gateway.url, method, params, headers);
      expect(await events.rest()).toMatchObject([{ event: 'error', data: { id: 7, error: { code } } }]);
    }
    gateway.tasks.isTemporalUp = false;
    const { status, headers: answered } = await legacy('tasks/resubscribe', { id: 'x' }, headers);
    expect([status, answered.get('retry-after')]).toEqual([503, '1']);
  });

  it('tells nothing of a failure that is none of the protocol', async () => {
    const id = await asked();
    gateway.tasks.startMemo = () => Promise.reject(new Error('connect 10.1.2.3:7233'));
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/resubscribe']) {
      const { body, text } = await legacy(method, { id });
      expect(body.error).toMatchObject({ code: -32603, message: 'Internal error' });
      expect(text).not.toContain('10.1.2.3');
    }
    expect(gateway.log.join('')).toContain('10.1.2.3');
  });

  it('gives back the ID of a request digit for digit, and answers no notification', async () => {
    const ask = async (id: string) => {
      const body = `{"jsonrpc":"2.0"${id},"method":"tasks/get","params":{"id":"x"}}`;
      const response = await fetch(`${gateway.url}/a2a`, { method: 'POST', headers: LEGACY, body });
      return response.text();
    };
    expect(await ask(',"id":9007199254740993')).toContain('"id":9007199254740993');
    expect(await ask(',"id":1.5')).toContain('"id":1.5');
    expect(await ask('')).toBe('');
  });

  it('streams events that can be taken up again, the last of them final', async () => {
    await using stream = await openStream(gateway.url, 'message/stream', { message: message('ask') }, LEGACY);
    const events = await stream.rest();
    expect(events[0]?.data).toMatchObject({ jsonrpc: '2.0', id: 7, result: { kind: 'task' } });
    const last = events.at(-1)!;
    const { kind, final, status } = last.data.result;
    expect(status.state).toBe('input-required');
    expect(kind === 'task' || final).toBe(true);
    expect(last.id).toEqual(expect.any(String));
  });

  it('registers webhooks that are told in 0.3, and finds the one of a task without its ID', async () => {
    const taskId = await asked();
    const config = { url: 'https://hooks.example.com/a', token: 't' };
    const { body: set } = await legacy('tasks/pushNotificationConfig/set', { taskId, pushNotificationConfig: config });
    expect(set.result).toMatchObject({ taskId, pushNotificationConfig: { ...config, id: expect.any(String) } });
    expect(await gateway.deliveries.list(taskId)).toMatchObject([{ wireVersion: '0.3' }]);
    const { body: got } = await legacy('tasks/pushNotificationConfig/get', { id: taskId });
    expect(got.result).toEqual(set.result);
    const { body: list } = await legacy('tasks/pushNotificationConfig/list', { id: taskId });
    expect(list.result).toEqual([set.result]);
    const pushNotificationConfigId = set.result.pushNotificationConfig.id;
    const { body: gone } = await legacy('tasks/pushNotificationConfig/delete', {
      id: taskId,
      pushNotificationConfigId,
    });
    expect(gone).toEqual({ jsonrpc: '2.0', id: 7, result: null });
  });
});

describe('the card', () => {
  const card = async (headers: Record<string, string>) =>
    (await fetch(`${gateway.url}/.well-known/agent-card.json`, { headers })).json() as Promise<Record<string, unknown>>;

  it('names 1.0 before 0.3 and has no field of 0.3, unless a reader asks for that version', async () => {
    const plain = await card(NO_VERSION);
    const versions = (plain['supportedInterfaces'] as { protocolVersion: string }[]).map(
      (each) => each.protocolVersion,
    );
    expect(versions).toEqual([...versions].sort().reverse());
    expect(versions).toContain('0.3');
    expect(plain).not.toHaveProperty('url');
    expect(await card(HEADERS)).toEqual(plain);
    expect(await card(LEGACY)).toMatchObject({
      protocolVersion: '0.3',
      url: 'https://agents.example.com/base/a2a',
      preferredTransport: 'JSONRPC',
      securitySchemes: { bearer: { type: 'http', scheme: 'Bearer' } },
      capabilities: { streaming: true },
      supportsAuthenticatedExtendedCard: true,
    });
    const { body } = await legacy('agent/getAuthenticatedExtendedCard');
    expect(body.result).toMatchObject({ protocolVersion: '0.3', skills: [{ id: 'echo' }, { id: 'shared' }] });
  });
});
