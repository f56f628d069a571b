/** What every operation asks of a call, and what a message may refer to. */
import { describe, expect, it } from '@jest/globals';
import { BOB, HEADERS, message, openStream, rpc, send, sha256 } from '../support/gateway.ts';
import { sharedGateway } from '../support/shared-gateway.ts';

const callers = [
  { id: 'alice', tenants: ['acme', 'umbrella'], tokenHash: sha256('alice-token') },
  { id: 'bob', tenants: ['acme'], tokenHash: sha256('bob-token') },
];
const NOT_FOUND = { error: { code: -32001, message: 'Task not found' } };

describe('a tenant', () => {
  const gateway = sharedGateway({ service: { callers } });
  const call = (method: string, params: object, headers: Record<string, string> = HEADERS) =>
    rpc(gateway().url, method, params, headers).then(({ body }) => body);

  it('keeps the tasks of a caller apart', async () => {
    const sent = { message: message('echo a', { metadata: { skillHint: 'shared' } }), tenant: 'acme' };
    const { id } = (await call('SendMessage', sent)).result.task;
    expect(await call('GetTask', { id, tenant: 'acme' })).toMatchObject({ result: { id } });
    for (const tenant of ['umbrella', '', undefined]) {
      expect(await call('GetTask', { id, tenant })).toMatchObject(NOT_FOUND);
    }
    const ids = async (tenant?: string): Promise<string[]> =>
      ((await call('ListTasks', { tenant })).result.tasks as { id: string }[]).map((task) => task.id);
    expect(await ids('acme')).toEqual([id]);
    expect(await ids('umbrella')).toEqual([]);
    expect(await ids()).toEqual([]);
    // The same message in another tenant is another task.
    const other = (await call('SendMessage', { ...sent, tenant: 'umbrella' })).result.task;
    expect(other.id).not.toBe(id);
    // Two callers of one tenant do not see each other's.
    expect(await call('GetTask', { id, tenant: 'acme' }, BOB)).toMatchObject(NOT_FOUND);
  });

  it.each([
    ['SendMessage', { message: message('echo b') }],
    ['GetTask', { id: 'x' }],
    ['ListTasks', {}],
    ['CancelTask', { id: 'x' }],
    ['SubscribeToTask', { id: 'x' }],
  ])("that is not the caller's is like a task that does not exist: %s", async (method, params) => {
    expect(await call(method, { ...params, tenant: 'umbrella' }, BOB)).toMatchObject(NOT_FOUND);
    expect(await call(method, { ...params, tenant: 'acme/../bob' }, BOB)).toMatchObject(NOT_FOUND);
  });

  it('is text, and is shown on the card of those who may name it', async () => {
    expect(await call('ListTasks', { tenant: 7 })).toMatchObject({ error: { code: -32602 } });
    const card = await call('GetExtendedAgentCard', {}, BOB);
    const tenants = (card.result.supportedInterfaces as { tenant?: string }[]).map(({ tenant }) => tenant);
    expect(new Set(tenants)).toEqual(new Set([undefined, 'acme']));
  });
});

describe('an extension', () => {
  const [required, optional] = ['urn:x:required', 'urn:x:optional'];
  const gateway = sharedGateway({
    service: {
      extensions: [
        { uri: required, required: true },
        { uri: optional, required: false, description: 'More.' },
      ],
    },
  });
  const list = (declared?: string) =>
    rpc(gateway().url, 'ListTasks', {}, { ...HEADERS, ...(declared !== undefined && { 'A2A-Extensions': declared }) });

  it('that is required must be declared, and what is used is echoed', async () => {
    const refused = await list(optional);
    expect(refused.body.error).toMatchObject({ code: -32008, message: expect.stringContaining(required) });
    expect((await list()).body.error.code).toBe(-32008);
    const taken = await list(`${optional} , urn:x:unknown,${required}`);
    expect(taken.body.result.tasks).toEqual([]);
    expect(taken.headers.get('a2a-extensions')).toBe(`${required}, ${optional}`);
  });

  it('is declared and echoed under the name that 0.3 has for the header, too', async () => {
    const headers = { ...HEADERS, 'A2A-Version': '0.3', 'X-A2A-Extensions': required };
    const taken = await rpc(gateway().url, 'tasks/get', { id: 'x' }, headers);
    expect(taken.body.error.code).toBe(-32001);
    expect(taken.headers.get('x-a2a-extensions')).toBe(required);
  });

  it('is asked for on streams too, and not to read the card, which declares it', async () => {
    const params = { message: message('echo c') };
    await expect(openStream(gateway().url, 'SendStreamingMessage', params)).rejects.toThrow('-32008');
    const { body } = await rpc(gateway().url, 'GetExtendedAgentCard', {});
    expect(body.result.capabilities.extensions).toEqual([
      { uri: required, required: true },
      { uri: optional, required: false, description: 'More.' },
    ]);
  });
});

describe('a message', () => {
  const gateway = sharedGateway();

  it("may refer to its caller's own tasks alone", async () => {
    const bobs = (await send(gateway(), 'echo d', { headers: BOB, metadata: { skillHint: 'shared' } })).body.result
      .task;
    const own = (await send(gateway(), 'echo e')).body.result.task;
    const referring = (...referenceTaskIds: string[]) => send(gateway(), 'echo f', { referenceTaskIds });
    expect((await referring(own.id)).body.result.task.history[0].referenceTaskIds).toEqual([own.id]);
    const foreign = (await referring(own.id, bobs.id)).body;
    expect(foreign).toEqual((await referring('no-such-task')).body);
    expect(foreign).toMatchObject(NOT_FOUND);
    const many = await referring(...Array.from({ length: 101 }, () => own.id));
    expect(many.body.error).toMatchObject({ code: -32602, message: expect.stringContaining('referenceTaskIds') });
  });
});
