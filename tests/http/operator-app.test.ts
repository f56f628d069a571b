import { request } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { rpc, send, sha256, startGateway } from '../support/gateway.ts';
import { until } from '../support/fake-task-workflows.ts';
import { sharedGateway } from '../support/shared-gateway.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const NOT_PENDING = { success: false, error: 'No pending request for that requestId (expired or already answered)' };

describe('the operator listener', () => {
  const gateway = sharedGateway();
  const begin = async (text: string): Promise<string> =>
    (await send(gateway(), text, { configuration: { returnImmediately: true } })).body.result.task.id as string;
  const questionOf = async (id: string): Promise<string> => (await gateway().tasks.read(id)).questions[0]!.requestId;

  async function answer(body: unknown, headers: Record<string, string> = JSON_TYPE) {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(`${gateway().operatorUrl}/api/a2a/input`, { method: 'POST', headers, body: text });
    return { status: response.status, body: await response.json() };
  }

  /** `fetch` sets Host itself. */
  async function requestWith(headers: Record<string, string>, method = 'GET', path = '/api/pending') {
    const { port } = new URL(gateway().operatorUrl);
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    })
      .on('error', reject)
      .end();
    return promise;
  }

  it('lists the open questions of all callers', async () => {
    const id = await begin('ask-operator');
    const response = await fetch(`${gateway().operatorUrl}/api/pending`);
    const { questions } = (await response.json()) as { questions: { taskId: string }[] };
    expect(questions.find(({ taskId }) => taskId === id)).toMatchObject({
      taskId: id,
      caller: 'alice',
      publication: 'echo',
      requestId: await questionOf(id),
      kind: 'confirm',
      message: 'Publish?',
      callerAnswerable: false,
    });
  });

  it.each([
    ['a string', 'yes', { kind: 'confirm', decision: 'accept' }],
    [
      'an answer object',
      { kind: 'confirm', decision: 'reject', text: 'no' },
      { kind: 'confirm', decision: 'reject', text: 'no' },
    ],
  ])("takes %s for an operator's question", async (_name, given, taken) => {
    const id = await begin('ask-operator');
    expect(await answer({ requestId: await questionOf(id), answer: given })).toEqual({
      status: 200,
      body: { success: true },
    });
    expect(gateway().tasks.received.at(-1)).toMatchObject({ by: 'operator', answer: taken });
    expect((await rpc(gateway().url, 'GetTask', { id })).body.result.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it("answers a caller's question, too", async () => {
    const id = await begin('ask');
    expect((await answer({ requestId: await questionOf(id), answer: 'blue' })).status).toBe(200);
  });

  it('takes the same answer twice at the same time as one', async () => {
    const requestId = await questionOf(await begin('ask'));
    const before = gateway().tasks.received.length;
    const answers = await Promise.all([answer({ requestId, answer: 'blue' }), answer({ requestId, answer: 'blue' })]);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    const ids = gateway()
      .tasks.received.slice(before)
      .map(({ id }) => id);
    expect(new Set(ids).size).toBe(1);
  });

  it('answers the same answer, sent again, as the first time', async () => {
    const requestId = await questionOf(await begin('ask'));
    const first = await answer({ requestId, answer: 'blue' });
    expect(await answer({ requestId, answer: 'blue' })).toEqual(first);
  });

  it('says that a question is answered, or was never asked', async () => {
    const requestId = await questionOf(await begin('ask'));
    await answer({ requestId, answer: 'blue' });
    for (const each of [
      requestId,
      'nonsense',
      `${requestId.split('.')[0]}.${'f'.repeat(32)}`,
      `dW5rbm93bg.${'0'.repeat(32)}`,
    ]) {
      expect(await answer({ requestId: each, answer: 'red' })).toEqual({ status: 404, body: NOT_PENDING });
    }
  });

  it.each([
    ['no JSON', '{', 'Invalid JSON'],
    ['no requestId', { answer: 'a' }, 'requestId and answer (string or answer object) are required'],
    [
      'a number for an answer',
      { requestId: 'a.b', answer: 1 },
      'requestId and answer (string or answer object) are required',
    ],
    ['null', 'null', 'requestId and answer (string or answer object) are required'],
  ])('answers %s with 400', async (_name, body, error) => {
    expect(await answer(body)).toEqual({ status: 400, body: { success: false, error } });
  });

  it('answers 400 to an answer of another kind, and the question stays open', async () => {
    const id = await begin('ask-operator');
    const { status } = await answer({ requestId: await questionOf(id), answer: 'perhaps' });
    expect(status).toBe(400);
    expect((await gateway().tasks.read(id)).questions).toHaveLength(1);
  });

  it('takes an answer while no worker is up, and says that it waits', async () => {
    const requestId = await questionOf(await begin('ask'));
    gateway().tasks.workers = 0;
    expect(await answer({ requestId, answer: 'blue' })).toEqual({
      status: 202,
      body: { success: true, pending: true },
    });
    gateway().tasks.workers = 1;
  });

  it('refuses what a form of a web page can send', async () => {
    expect((await answer('{}', { 'Content-Type': 'text/plain' })).status).toBe(415);
  });

  it.each([
    ['a name that was rebound to this address', { Host: 'evil.example' }, 403],
    ['the Origin of a page elsewhere', { Origin: 'https://evil.example' }, 403],
    ['the Origin of another port', { Origin: 'http://127.0.0.1:9' }, 403],
    ['an opaque Origin', { Origin: 'null' }, 403],
    ['localhost', { Host: 'localhost:4001' }, 200],
    ['a page of its own', { Host: 'localhost:4001', Origin: 'http://localhost:4001' }, 200],
    ['[::1]', { Host: '[::1]:4001' }, 200],
  ])('answers a request with %s', async (_name, headers: Record<string, string>, status) => {
    expect(await requestWith(headers)).toBe(status);
    expect(await requestWith({ ...headers, ...JSON_TYPE }, 'POST', '/api/a2a/input')).toBe(status === 200 ? 400 : 403);
  });

  it('is alive, and ready while Temporal and the stores are up, with or without workers', async () => {
    const probe = async (path: string) => {
      const response = await fetch(`${gateway().operatorUrl}${path}`);
      return [response.status, await response.json()];
    };
    expect(await probe('/livez')).toEqual([200, { status: 'ok' }]);
    expect(await probe('/readyz')).toEqual([200, { status: 'ready', temporal: 'up', stores: 'up', workers: 1 }]);
    gateway().tasks.workers = 0;
    expect(await probe('/readyz')).toEqual([200, { status: 'ready', temporal: 'up', stores: 'up', workers: 0 }]);
    gateway().tasks.isTemporalUp = false;
    expect(await probe('/readyz')).toEqual([
      503,
      { status: 'unavailable', temporal: 'down', stores: 'up', workers: 0 },
    ]);
    expect(await probe('/livez')).toEqual([200, { status: 'ok' }]);
    expect((await fetch(`${gateway().operatorUrl}/api/pending`)).status).toBe(503);
    gateway().tasks.isTemporalUp = true;
    gateway().tasks.workers = 1;
    const { stores } = gateway();
    const check = stores.check;
    for (const away of [() => Promise.reject(new Error('ENOENT')), () => Promise.withResolvers<never>().promise]) {
      stores.check = away;
      expect(await probe('/readyz')).toEqual([
        503,
        { status: 'unavailable', temporal: 'up', stores: 'down', workers: 1 },
      ]);
    }
    stores.check = check;
    expect((await fetch(`${gateway().operatorUrl}/readyz`)).status).toBe(200);
  });

  it('wants its token where it has one, except for the probes', async () => {
    await using closed = await startGateway({ http: { operatorTokenHash: sha256('operator-token') } });
    const status = async (headers: Record<string, string>) =>
      (await fetch(`${closed.operatorUrl}/api/pending`, { headers })).status;
    expect(await status({})).toBe(401);
    expect(await status({ Authorization: 'Bearer alice-token' })).toBe(401);
    expect(await status({ Authorization: 'Bearer operator-token' })).toBe(200);
    expect(await status({ 'X-API-Key': 'operator-token' })).toBe(200);
    expect((await fetch(`${closed.operatorUrl}/readyz`)).status).toBe(200);
    const response = await fetch(`${closed.operatorUrl}/api/pending`);
    expect([response.headers.get('www-authenticate'), await response.json()]).toEqual([
      'Bearer realm="longhaul"',
      { success: false, error: 'Unauthorized' },
    ]);
  });

  it('writes one line for each request, with no token in it', async () => {
    await send(gateway(), 'echo a');
    await until(() => gateway().log.some((line) => line.includes('"path":"/a2a"')), 'the request is logged');
    expect(gateway().log.join('')).not.toContain('alice-token');
  });
});
