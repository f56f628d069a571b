/** To know an ID is worth nothing: another caller's task is answered like one that never was, byte for byte. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Task } from '../../src/domain/a2a.ts';
import { sharedDeployment } from '../support/deployment.ts';

const deployment = sharedDeployment({
  publications: `
- id: hers
  name: Hers
  description: Alice's alone.
  executor: { kind: function, module: ./stub-executor.ts, export: stub }
  allowed_callers: [alice]`,
});

const RANDOM_ID = `stub-${'abcdefghijklmnopqrstuvwxyz'.slice(0, 26)}`;

/** Alice's. */
let asked: Task;
let completed: Task;

beforeAll(async () => {
  const [first, second] = await Promise.all([deployment().send('ask'), deployment().send('big 1000')]);
  asked = first.body.result.task as Task;
  completed = second.body.result.task as Task;
  expect(completed.artifacts).toHaveLength(2);
});

/** All that a client could tell two answers apart by, its own IDs and the clock aside. */
async function seen(path: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(`${deployment().url()}${path}`, init);
  const headers = [...response.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
  return { status: response.status, headers, text: await response.text() };
}

const asBob = (method: string, params: unknown): Promise<unknown> =>
  seen('/a2a', {
    method: 'POST',
    headers: deployment().headers('bob'),
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });

const messageTo = (taskId: string, more = {}) => ({
  message: { messageId: 'bobs', taskId, role: 'ROLE_USER', parts: [{ text: 'blue' }], ...more },
});

describe("another caller's task", () => {
  const NOT_FOUND = /"error":\{"code":-32001,"message":"Task not found","data":\[\{[^}]*"reason":"TASK_NOT_FOUND"/;

  it.each<[string, (taskId: string, contextId: string) => unknown]>([
    ['GetTask', (id) => ({ id })],
    ['GetTask', (id) => ({ id, historyLength: 0, tenant: 'alice' })],
    ['SubscribeToTask', (id) => ({ id })],
    ['CancelTask', (id) => ({ id })],
    ['SendMessage', (id) => messageTo(id)],
    ['SendMessage', (id, contextId) => messageTo(id, { contextId })],
    ['SendMessage', (id) => ({ ...messageTo(id), configuration: { returnImmediately: true } })],
    ['SendStreamingMessage', (id) => messageTo(id)],
  ])('is not found by %s, as one that never was', async (method, paramsOf) => {
    for (const { id, contextId } of [asked, completed]) {
      const answer = await asBob(method, paramsOf(id, contextId));
      expect(answer).toEqual(await asBob(method, paramsOf(RANDOM_ID, contextId)));
      expect(answer).toMatchObject({ status: 200, text: expect.stringMatching(NOT_FOUND) });
    }
  });

  it('is not found by the ID of an event, either', async () => {
    await using stream = await deployment().stream('SubscribeToTask', { id: asked.id });
    const { id: eventId = '' } = (await stream.next())!;
    const resume = (id: string): Promise<unknown> =>
      seen('/a2a', {
        method: 'POST',
        headers: { ...deployment().headers('bob'), 'Last-Event-ID': eventId },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SubscribeToTask', params: { id } }),
      });
    expect(await resume(asked.id)).toEqual(await resume(RANDOM_ID));
  });

  it.each<[string, (taskId: string) => unknown]>([
    ['CreateTaskPushNotificationConfig', (taskId) => ({ taskId, url: 'https://example.com/hook' })],
    ['GetTaskPushNotificationConfig', (taskId) => ({ taskId, id: '1' })],
    ['ListTaskPushNotificationConfigs', (taskId) => ({ taskId })],
    ['DeleteTaskPushNotificationConfig', (taskId) => ({ taskId, id: '1' })],
  ])('shows nothing by %s', async (method, paramsOf) => {
    expect(await asBob(method, paramsOf(asked.id))).toEqual(await asBob(method, paramsOf(RANDOM_ID)));
  });

  it('shows nothing when a message refers to it, or names its context', async () => {
    const refer = (messageId: string, fields: Record<string, unknown>) =>
      deployment().send('echo mine', { as: 'bob', message: { messageId, ...fields } });
    const toAlices = await refer('refers-1', { referenceTaskIds: [asked.id] });
    const toNone = await refer('refers-2', { referenceTaskIds: [RANDOM_ID] });
    expect(toAlices.body.error.code).toBe(-32001);
    expect(toAlices.text).toBe(toNone.text);

    const { contextId } = asked;
    const inContext = (await refer('refers-3', { contextId })).body.result.task as Task;
    expect(inContext).toMatchObject({ contextId, status: { state: 'TASK_STATE_COMPLETED' } });
    expect(JSON.stringify(inContext)).not.toContain(asked.id);
  });

  it('keeps its files to itself, from others and from those who do not say who they are', async () => {
    const [file] = completed.artifacts!.flatMap(({ parts }) => parts).filter(({ url }) => url !== undefined);
    const { pathname } = new URL(file!.url!);
    const [, , , , artifactId] = pathname.split('/');
    const mine = await fetch(file!.url!, { headers: { Authorization: deployment().headers()['Authorization']! } });
    expect([mine.status, (await mine.text()).length]).toEqual([200, 1000]);

    const get = (path: string): Promise<unknown> => seen(path, { headers: deployment().headers('bob') });
    const foreign = await get(pathname);
    expect(foreign).toMatchObject({ status: 404, text: '{"error":"Artifact not found"}' });
    for (const path of [
      `/a2a/artifacts/${RANDOM_ID}/${artifactId}`,
      `/a2a/artifacts/${completed.id}/none`,
      `/a2a/artifacts/${asked.id}/${artifactId}`,
      `/a2a/artifacts/${RANDOM_ID}/%ff`,
    ]) {
      expect(await get(path)).toEqual(foreign);
    }
    const open = await fetch(file!.url!);
    expect([open.status, open.headers.get('WWW-Authenticate')]).toEqual([401, expect.stringMatching(/^Bearer /)]);
    expect(await open.text()).toBe('{"error":"Authentication required"}');
  });

  it('of a publication that is not his: even its name is like one that never was', async () => {
    const ask = async (skillHint: string): Promise<unknown> => {
      const answer = await asBob('SendMessage', {
        message: { messageId: 'to-hers', role: 'ROLE_USER', parts: [{ text: 'echo a' }], metadata: { skillHint } },
      });
      return JSON.parse(JSON.stringify(answer).replaceAll(skillHint, '…'));
    };
    const answer = await ask('hers');
    expect(answer).toEqual(await ask('nope'));
    expect(answer).toMatchObject({ text: expect.stringContaining('"code":-32602') });
  });

  it('has noticed nothing of all this', async () => {
    expect(await deployment().task(asked.id)).toEqual(asked);
    expect(await deployment().task(completed.id)).toEqual(completed);
    expect(await deployment().calls({ event: 'heard' })).toEqual([]);
  });
});

describe('without good credentials', () => {
  it.each<[string, Record<string, string>]>([
    ['none', {}],
    ['an empty scheme', { Authorization: 'Bearer' }],
    ['an empty token', { Authorization: 'Bearer ' }],
    ['another scheme', { Authorization: 'Basic YWxpY2U6YWxpY2U=' }],
    ['a wrong token', { Authorization: `Bearer ${'x'.repeat(36)}` }],
    ['two words', { Authorization: 'Bearer one two' }],
    ['no scheme', { Authorization: 'alice-'.repeat(6) }],
    ['an empty key', { 'X-API-Key': '' }],
    ['a wrong key', { 'X-API-Key': 'x'.repeat(36) }],
    ['a good token beside a wrong key', { Authorization: `Bearer ${'alice-'.repeat(6)}`, 'X-API-Key': 'x'.repeat(36) }],
    ['a very long token', { Authorization: `Bearer ${'x'.repeat(8000)}` }],
  ])('%s: every call is refused with a challenge, whether the task is there or not', async (_what, credentials) => {
    const call = (method: string, params: unknown): Promise<unknown> =>
      seen('/a2a', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0', ...credentials },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
    const refused = await call('GetTask', { id: RANDOM_ID });
    expect(refused).toMatchObject({ status: 401 });
    const { headers, text } = refused as { headers: [string, string][]; text: string };
    expect(headers).toContainEqual(['www-authenticate', expect.stringMatching(/^Bearer /)]);
    expect(JSON.parse(text)).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32000, data: [{ reason: 'UNAUTHENTICATED' }] },
    });
    expect(await call('GetTask', { id: asked.id })).toEqual(refused);
    expect(await call('SubscribeToTask', { id: asked.id })).toEqual(refused);
    expect(await call('SendMessage', messageTo(asked.id))).toEqual(refused);
    expect(await call('NoSuchMethod', {})).toEqual(refused);
  });
});
