/** How A2A 0.3 looks in HTTP+JSON, below /a2a/rest/v1: the ProtoJSON of its protocol buffer. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { HEADERS, readEventStream, startGateway } from '../../support/gateway.ts';
import { sharedGateway } from '../../support/shared-gateway.ts';

const { 'A2A-Version': _version, ...NO_VERSION } = HEADERS;

const message = (text: string, more: Record<string, unknown> = {}) => ({
  messageId: randomUUID(),
  role: 'ROLE_USER',
  content: [{ text }],
  ...more,
});

async function request(
  url: string,
  verb: string,
  path: string,
  { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<Response> {
  return fetch(`${url}/a2a/rest${path}`, {
    method: verb,
    headers: { ...NO_VERSION, ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

describe('A2A 0.3 on /a2a/rest/v1', () => {
  const gateway = sharedGateway();

  async function ask(...args: [verb: string, path: string, request?: Parameters<typeof request>[3]]) {
    const response = await request(gateway().url, ...args);
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into whatever came
    const body = (await response.json()) as any;
    return { status: response.status, headers: response.headers, body };
  }

  const begin = async (): Promise<string> => {
    const body = { message: message('hold'), configuration: { blocking: false } };
    return (await ask('POST', '/v1/message:send', { body })).body.task.id as string;
  };

  it.each<[string, Record<string, string>]>([
    ['none', {}],
    ['0.3', { 'A2A-Version': '0.3' }],
    ['0.3.0', { 'A2A-Version': '0.3.0' }],
  ])('is what the version %s gets', async (_name, headers) => {
    const {
      status,
      headers: answered,
      body,
    } = await ask('POST', '/v1/message:send', {
      body: { message: message('echo hi') },
      headers,
    });
    expect([status, answered.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body.task).toEqual({
      id: expect.any(String),
      contextId: expect.any(String),
      status: { state: 'TASK_STATE_COMPLETED', timestamp: expect.stringMatching(/Z$/) },
      artifacts: [expect.objectContaining({ artifactId: 'answer', parts: [{ text: 'hi' }] })],
      history: [expect.objectContaining({ role: 'ROLE_USER', content: [{ text: 'echo hi' }] })],
    });
    expect(JSON.stringify(body)).not.toContain('"kind"');
    expect((await ask('GET', `/v1/tasks/${body.task.id}`)).body).toEqual(body.task);
  });

  it('takes both spellings of ProtoJSON, and enums by number', async () => {
    const { body } = await ask('POST', '/v1/message:send', {
      body: {
        request: { message_id: randomUUID(), context_id: 'ctx', role: 1, content: [{ text: 'hold' }] },
        configuration: { accepted_output_modes: ['text/plain'], blocking: false },
      },
    });
    expect(body.task).toMatchObject({ contextId: 'ctx', status: { state: 'TASK_STATE_WORKING' } });
    const { id } = body.task;
    expect((await ask('GET', `/v1/tasks/${id}?history_length=0`)).body).not.toHaveProperty('history');
    expect((await ask('GET', `/v1/tasks/${id}?historyLength=1`)).body.history).toHaveLength(1);
  });

  it('writes the state of a cancelled task in its own way', async () => {
    for (const body of [undefined, 'null', {}]) {
      const answer = await ask('POST', `/v1/tasks/${await begin()}:cancel`, { body });
      expect(answer.body.status.state).toBe('TASK_STATE_CANCELLED');
    }
  });

  it('takes a webhook by itself, and in a request that wraps it', async () => {
    const id = await begin();
    const path = `/v1/tasks/${id}/pushNotificationConfigs`;
    const config = { push_notification_config: { id: 'a', url: 'https://example.com/a' } };
    const parent = `tasks/${id}`;
    const one = { name: `${parent}/pushNotificationConfigs/a`, pushNotificationConfig: { id: 'a' } };
    expect((await ask('POST', path, { body: config })).body).toMatchObject(one);
    expect((await ask('POST', path, { body: { parent, config_id: 'a', config } })).body).toMatchObject(one);
    expect((await ask('GET', path)).body.configs).toMatchObject([one]);
    expect((await ask('DELETE', `${path}/a`)).body).toEqual({});
    expect((await ask('GET', path)).body).toEqual({ configs: [] });
  });

  it.each<[number, number, string, string, Parameters<typeof request>[3]]>([
    [404, -32001, 'GET', '/v1/tasks/none', {}],
    [404, -32001, 'POST', '/v1/tasks/none:subscribe', {}],
    [404, -32004, 'GET', '/v1/tasks', {}],
    [404, -32004, 'GET', '/v1/nothing', {}],
    [405, -32004, 'GET', '/v1/message:send', {}],
    [400, -32602, 'POST', '/v1/message:send', { body: {} }],
    [400, -32602, 'POST', '/v1/message:send', { body: '{' }],
    [400, -32602, 'POST', '/v1/message:send', { body: { message: 'x' } }],
    [400, -32602, 'POST', '/v1/message:send', { body: { message: message('x', { content: [] }) } }],
    [400, -32602, 'POST', '/v1/message:send', { body: { message: message('x', { content: [null] }) } }],
    [400, -32602, 'POST', '/v1/message:send', { body: { message: message('x', { content: [{ file: {} }] }) } }],
    [400, -32602, 'POST', '/v1/message:stream', { body: { message: message('x', { role: 'ROLE_BOSS' }) } }],
    [400, -32602, 'GET', '/v1/tasks/none?historyLength=-1', {}],
    [401, -32000, 'GET', '/v1/card', { headers: { Authorization: '' } }],
    [415, -32005, 'POST', '/v1/message:send', { body: 'x', headers: { 'Content-Type': 'text/plain' } }],
  ])('answers %i, %i: %s %s %j', async (status, code, verb, path, sent) => {
    const { status: got, headers, body } = await ask(verb, path, sent);
    expect([got, body.code, headers.get('content-type')]).toEqual([status, code, 'application/json; charset=utf-8']);
    expect(Object.keys(body)).toEqual(['code', 'message', 'data']);
    expect(body.message).not.toMatch(/undefined|not a function|Cannot read/);
    expect(body.data.reason).toMatch(/^[A-Z_]+$/);
  });

  it('says to who names no version on a path of 1.0 what is missing', async () => {
    const { status, body } = await ask('GET', '/tasks');
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ message: expect.stringContaining('A2A-Version: 1.0') });
    expect(body.error.details[0].reason).toBe('VERSION_NOT_SUPPORTED');
  });

  it('is not there for 1.0', async () => {
    const { status } = await ask('GET', '/v1/card', { headers: { 'A2A-Version': '1.0' } });
    expect(status).toBe(404);
  });

  it('streams with ids and a heartbeat, and goes on behind Last-Event-ID', async () => {
    await using patient = await startGateway({ http: { streamHeartbeatMs: 20 } });
    const { url, tasks } = patient;
    const body = { message: message('hold'), configuration: { blocking: false } };
    const sent = (await (await request(url, 'POST', '/v1/message:send', { body })).json()) as { task: { id: string } };
    const { id } = sent.task;
    const subscribe = (headers = {}) =>
      readEventStream(() => request(url, 'POST', `/v1/tasks/${id}:subscribe`, { headers }));
    const events = await subscribe();
    expect(await events.next()).toMatchObject({ id: expect.any(String), data: { task: { id } } });
    tasks.chunk(id, 1, '<1>');
    const last = await events.next();
    expect(last?.data).toMatchObject({ artifactUpdate: { taskId: id, artifact: { parts: [{ text: '<1>' }] } } });
    const next = events.next();
    await eventually(() => events.comments.length > 0 || undefined);
    tasks.status(id, 'TASK_STATE_COMPLETED');
    expect((await next)?.data).toMatchObject({ statusUpdate: { final: true } });
    await using resumed = await subscribe({ 'Last-Event-ID': last!.id! });
    expect((await resumed.rest()).map(({ data }) => data)).toEqual([
      { statusUpdate: expect.objectContaining({ taskId: id, final: true }) },
    ]);
  });
});
