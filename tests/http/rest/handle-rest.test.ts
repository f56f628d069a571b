import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { HEADERS, message, readEventStream, sha256, startGateway } from '../../support/gateway.ts';
import { sharedGateway } from '../../support/shared-gateway.ts';

const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo';

describe('HTTP+JSON on /a2a/rest', () => {
  const gateway = sharedGateway({
    service: {
      callers: [{ id: 'alice', tenants: ['blue', 'tasks'], tokenHash: sha256('alice-token') }],
      extensions: [{ uri: 'https://example.com/ext', required: false }],
    },
  });

  async function ask(
    verb: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ) {
    const response = await fetch(`${gateway().url}/a2a/rest${path}`, {
      method: verb,
      headers: { ...HEADERS, ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into whatever came
    const read: any = text === '' ? undefined : JSON.parse(text);
    return { status: response.status, headers: response.headers, body: read };
  }

  const begin = async (): Promise<string> => {
    const body = { message: message('hold'), configuration: { returnImmediately: true } };
    return (await ask('POST', '/message:send', { body })).body.task.id as string;
  };

  it('answers application/a2a+json, takes it and application/json, and says which extensions are active', async () => {
    for (const type of ['application/json', 'Application/A2A+JSON; charset=utf-8']) {
      const headers = { 'Content-Type': type, 'A2A-Extensions': 'https://example.com/ext, urn:other' };
      const answer = await ask('POST', '/message:send', { body: { message: message('echo a') }, headers });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toMatch(/^application\/a2a\+json/);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('a2a-extensions')).toBe('https://example.com/ext');
    }
  });

  it.each([
    ['no credentials', 'GET', '/tasks', { headers: { Authorization: '' } }, 401, 'UNAUTHENTICATED', 'UNAUTHENTICATED'],
    ['an unknown path', 'GET', '/nowhere/at/all', {}, 404, 'NOT_FOUND', 'UNSUPPORTED_OPERATION'],
    ['the URL itself', 'GET', '', {}, 404, 'NOT_FOUND', 'UNSUPPORTED_OPERATION'],
    ['an unknown task', 'GET', '/tasks/none', {}, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'],
    ['an id that is not UTF-8', 'GET', '/tasks/%ff', {}, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'],
    ['another method', 'PUT', '/tasks', {}, 405, 'UNIMPLEMENTED', 'UNSUPPORTED_OPERATION'],
    [
      'a body over the limit',
      'POST',
      '/message:send',
      { body: 'x'.repeat(1_100_000) },
      413,
      'INVALID_ARGUMENT',
      'PAYLOAD_TOO_LARGE',
    ],
    [
      'text',
      'POST',
      '/message:send',
      { body: 'hi', headers: { 'Content-Type': 'text/plain' } },
      415,
      'INVALID_ARGUMENT',
      'CONTENT_TYPE_NOT_SUPPORTED',
    ],
    ['no JSON', 'POST', '/message:send', { body: '{' }, 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'],
    ['a list', 'POST', '/message:send', { body: '[]' }, 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'],
    [
      'no version',
      'GET',
      '/tasks',
      { headers: { 'A2A-Version': '' } },
      400,
      'FAILED_PRECONDITION',
      'VERSION_NOT_SUPPORTED',
    ],
  ])(
    'refuses %s as §11.6 says',
    async (_name, verb, path, request: Parameters<typeof ask>[2], code, status, reason) => {
      const answer = await ask(verb, path, request);
      expect(answer.status).toBe(code);
      expect(answer.headers.get('content-type')).toMatch(/^application\/a2a\+json/);
      expect(answer.body).toEqual({
        error: {
          code,
          status,
          message: expect.stringMatching(/./),
          details: expect.arrayContaining([
            expect.objectContaining({ '@type': ERROR_INFO, reason, domain: 'a2a-protocol.org' }),
          ]),
        },
      });
    },
  );

  it.each([
    ['DELETE', '/message:send', 'POST'],
    ['GET', '/tasks/x:cancel', 'POST'],
    ['PUT', '/tasks/x:subscribe', 'GET, POST'],
    ['POST', '/tasks/x', 'GET'],
    ['PUT', '/tasks/x/pushNotificationConfigs', 'GET, POST'],
    ['POST', '/blue/tasks/x/pushNotificationConfigs/y', 'GET, DELETE'],
    ['OPTIONS', '/extendedAgentCard', 'GET'],
  ])('answers %s %s with 405 and what is allowed', async (verb, path, allowed) => {
    const { status, headers } = await ask(verb, path);
    expect([status, headers.get('allow')]).toEqual([405, allowed]);
  });

  it('cancels without a body, with an empty one, and with metadata', async () => {
    for (const body of [undefined, {}, { metadata: { why: 'enough' } }]) {
      const answer = await ask('POST', `/tasks/${await begin()}:cancel`, { body });
      expect(answer.body.status.state).toBe('TASK_STATE_CANCELED');
    }
  });

  it.each(['GET', 'POST'])(
    'subscribes by %s: events are StreamResponses with ids, with a heartbeat between',
    async (verb) => {
      await using patient = await startGateway({ http: { streamHeartbeatMs: 20 } });
      const body = JSON.stringify({ message: message('hold'), configuration: { returnImmediately: true } });
      const sent = await fetch(`${patient.url}/a2a/rest/message:send`, { method: 'POST', headers: HEADERS, body });
      const { task } = (await sent.json()) as { task: { id: string } };
      await using events = await readEventStream((signal) =>
        fetch(`${patient.url}/a2a/rest/tasks/${task.id}:subscribe`, { method: verb, headers: HEADERS, signal }),
      );
      expect(await events.next()).toEqual({
        id: expect.any(String),
        data: { task: expect.objectContaining({ id: task.id }) },
      });
      const next = events.next();
      await eventually(() => events.comments.length > 0 || undefined);
      patient.tasks.status(task.id, 'TASK_STATE_COMPLETED');
      expect(await next).toMatchObject({ id: expect.any(String), data: { statusUpdate: { taskId: task.id } } });
    },
  );

  it.each([
    ['pageSize=1&pageSize=2', 'pageSize'],
    ['pageSize=', 'pageSize'],
    ['pageSize=1e1', 'pageSize'],
    ['historyLength=two', 'historyLength'],
    ['includeArtifacts=1', 'includeArtifacts'],
    ['contextId=a&contextId=a', 'contextId'],
    ['status=TASK_STATE_WORKING&status=TASK_STATE_FAILED', 'status'],
  ])('refuses the query %s and names the field', async (query, field) => {
    const { status, body } = await ask('GET', `/tasks?${query}`);
    expect(status).toBe(400);
    expect(body.error.status).toBe('INVALID_ARGUMENT');
    expect(body.error.details[1].fieldViolations).toEqual([{ field, description: expect.any(String) }]);
  });

  it('takes the version and the tenant from the query, and ignores what it does not know', async () => {
    const { status, body } = await ask('GET', '/tasks?A2A-Version=1.0&other=1', { headers: { 'A2A-Version': '' } });
    expect([status, body.pageSize]).toEqual([200, 50]);
    expect((await ask('GET', '/tasks?tenant=red')).status).toBe(404);
  });

  it('does not let a body say otherwise than the path', async () => {
    const id = await begin();
    const url = 'https://example.com/hook';
    const path = `/tasks/${id}/pushNotificationConfigs`;
    for (const taskId of [{ taskId: 'other' }, { task_id: 'other' }]) {
      const answer = await ask('POST', path, { body: { url, ...taskId } });
      expect(answer.body.error.details[1].fieldViolations[0].field).toBe('taskId');
    }
    expect((await ask('POST', path, { body: { url, task_id: id } })).body.taskId).toBe(id);
    const tenant = await ask('POST', '/blue/message:send', { body: { tenant: 'tasks', message: message('echo a') } });
    expect(tenant.body.error.details[1].fieldViolations[0].field).toBe('tenant');
  });

  it('reads a path without a tenant first, and a tenant called as a collection all the same', async () => {
    expect((await ask('GET', '/tasks/tasks')).status).toBe(404);
    expect((await ask('GET', '/tasks/tasks/none')).body.error.message).toBe('Task not found');
    const sent = await ask('POST', '/tasks/message:send', { body: { message: message('echo a') } });
    expect(sent.body.task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('answers 503 and when to come again while Temporal is away', async () => {
    gateway().tasks.isTemporalUp = false;
    const answer = await ask('POST', '/message:send', { body: { message: message('echo later') } });
    gateway().tasks.isTemporalUp = true;
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(answer.body.error).toMatchObject({ code: 503, status: 'UNAVAILABLE' });
  });
});
