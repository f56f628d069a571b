/** A2A 1.0 §5.1: what a client may do and is told does not depend on the binding. */
import { describe, expect, it } from '@jest/globals';
import { BOB, HEADERS, message, sha256 } from '../support/gateway.ts';
import { sharedGateway } from '../support/shared-gateway.ts';
import { BINDINGS } from './binding.ts';

describe.each(BINDINGS)('over %s', (_name, { isText, hasCursors, call, open, eventOf }) => {
  const gateway = sharedGateway({
    grpc: {},
    service: {
      callers: [
        { id: 'alice', tenants: ['blue', 'message'], tokenHash: sha256('alice-token') },
        { id: 'bob', tenants: [], tokenHash: sha256('bob-token') },
      ],
    },
  });
  const ask = (method: string, params: Record<string, unknown>, headers?: Record<string, string>) =>
    call(gateway(), method, params, headers);
  const stream = (method: string, params: Record<string, unknown>, headers?: Record<string, string>) =>
    open(gateway(), method, params, headers);
  const begin = async (text: string, more: Record<string, unknown> = {}) => {
    const { result } = await ask('SendMessage', {
      message: message(text),
      configuration: { returnImmediately: true },
      ...more,
    });
    return result.task as { id: string; contextId: string };
  };

  it('a message is answered with its task, which is got again as it is', async () => {
    const { result } = await ask('SendMessage', { message: message('echo hi') });
    expect(result.task).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ parts: [{ text: 'hi' }] }],
    });
    const { id } = result.task;
    expect((await ask('GetTask', { id })).result).toEqual(result.task);
    expect((await ask('GetTask', { id, historyLength: 0 })).result).not.toHaveProperty('history');
  });

  it('a message is answered with a Message where the skill replies with one', async () => {
    const { result } = await ask('SendMessage', { message: message('reply hi') });
    expect(result).toMatchObject({ message: { role: 'ROLE_AGENT', parts: [{ text: 'hi' }] } });
  });

  it('tasks are listed by their filters, page by page', async () => {
    const contextId = `context of ${_name} & more`;
    const texts = ['echo 1', 'echo 2', 'hold'];
    for (const text of texts)
      await ask('SendMessage', { message: message(text, { contextId }), configuration: { returnImmediately: true } });
    const first = (await ask('ListTasks', { contextId, pageSize: 2, includeArtifacts: true, historyLength: 0 })).result;
    expect(first).toMatchObject({ pageSize: 2, totalSize: 3, nextPageToken: expect.stringMatching(/./) });
    const second = (await ask('ListTasks', { contextId, pageSize: 2, pageToken: first.nextPageToken })).result;
    expect(second).toMatchObject({ tasks: [{ contextId }], nextPageToken: '' });
    const done = (await ask('ListTasks', { contextId, status: 'TASK_STATE_COMPLETED', includeArtifacts: true })).result;
    expect(done.tasks).toHaveLength(2);
    expect(done.tasks[0]).toHaveProperty('artifacts');
    expect((await ask('ListTasks', { contextId, statusTimestampAfter: '2999-01-01T00:00:00+02:00' })).result).toEqual({
      tasks: [],
      nextPageToken: '',
      pageSize: 50,
      totalSize: 0,
    });
  });

  it('a task is cancelled once', async () => {
    const { id } = await begin('hold');
    expect((await ask('CancelTask', { id })).result.status.state).toBe('TASK_STATE_CANCELED');
    expect((await ask('CancelTask', { id })).error?.reason).toBe('TASK_NOT_CANCELABLE');
  });

  it('a stream shows the task and what follows, up to the question', async () => {
    await using events = await stream('SendStreamingMessage', { message: message('ask') });
    const seen = (await events.rest()).map(({ data }) => eventOf(data));
    expect(seen[0].task.id).toMatch(/./);
    const { status } = seen.at(-1).statusUpdate ?? seen[0].task;
    expect(status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  (hasCursors ? it : it.skip)('a subscriber goes on behind Last-Event-ID, with nothing lost or doubled', async () => {
    const { id } = await begin('hold');
    const { tasks } = gateway();
    const events = await stream('SubscribeToTask', { id });
    await events.next();
    tasks.chunk(id, 1, '<1>');
    const last = (await events.next())!;
    await events[Symbol.asyncDispose]();
    tasks.chunk(id, 2, '<2>');
    tasks.status(id, 'TASK_STATE_COMPLETED');
    await using resumed = await stream('SubscribeToTask', { id }, { ...HEADERS, 'Last-Event-ID': last.id! });
    const rest = (await resumed.rest()).map(({ data }) => eventOf(data));
    expect(
      rest.map((event) => event.artifactUpdate?.artifact.parts[0].text ?? event.statusUpdate.status.state),
    ).toEqual(['<2>', 'TASK_STATE_COMPLETED']);
  });

  it('a subscriber sees the snapshot and the end', async () => {
    const { id } = await begin('hold');
    await using events = await stream('SubscribeToTask', { id });
    expect(eventOf((await events.next())!.data).task.id).toBe(id);
    gateway().tasks.status(id, 'TASK_STATE_COMPLETED');
    expect(eventOf((await events.rest()).at(-1)!.data).statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
    expect((await ask('SubscribeToTask', { id })).error?.reason).toBe('UNSUPPORTED_OPERATION');
  });

  it('webhooks are created, got, listed and deleted', async () => {
    const { id: taskId } = await begin('hold');
    const config = {
      taskId,
      id: 'a/b c',
      url: 'https://example.com/hook',
      authentication: { scheme: 'Bearer', credentials: 's' },
    };
    expect((await ask('CreateTaskPushNotificationConfig', config)).result).toEqual(config);
    expect((await ask('GetTaskPushNotificationConfig', { taskId, id: config.id })).result).toEqual(config);
    expect((await ask('ListTaskPushNotificationConfigs', { taskId })).result.configs).toEqual([config]);
    expect((await ask('DeleteTaskPushNotificationConfig', { taskId, id: config.id })).result).toEqual({});
    expect((await ask('GetTaskPushNotificationConfig', { taskId, id: config.id })).error?.reason).toBe(
      'TASK_NOT_FOUND',
    );
  });

  it('the extended card shows what the caller may use', async () => {
    const { result } = await ask('GetExtendedAgentCard', {}, BOB);
    expect(result.skills).toMatchObject([{ id: 'shared' }]);
  });

  it.each(['GetTask', 'CancelTask', 'SubscribeToTask', 'DeleteTaskPushNotificationConfig'])(
    '%s tells another caller what it tells about a task that is not there',
    async (method) => {
      const { id } = await begin('hold');
      const fields = (taskId: string) => (method.includes('Config') ? { taskId, id: 'h' } : { id: taskId });
      const foreign = await ask(method, fields(id), BOB);
      expect(foreign.error?.reason).toBe('TASK_NOT_FOUND');
      expect(foreign).toEqual(await ask(method, fields('none'), BOB));
    },
  );

  it("a tenant has its own tasks, whatever its name, and is nobody else's", async () => {
    for (const tenant of ['blue', 'message']) {
      const { id } = await begin('hold', { tenant });
      expect((await ask('GetTask', { tenant, id })).result.id).toBe(id);
      expect((await ask('GetTask', { id })).error?.reason).toBe('TASK_NOT_FOUND');
      expect((await ask('ListTasks', { tenant })).result.tasks).toMatchObject([{ id }]);
      expect((await ask('CancelTask', { tenant, id }, BOB)).error?.reason).toBe('TASK_NOT_FOUND');
    }
    expect((await ask('ListTasks', { tenant: 'red' })).error?.reason).toBe('TASK_NOT_FOUND');
  });

  it.each([
    ['SendMessage', { message: { ...message('x'), parts: [] } }, 'message.parts'],
    ['SendMessage', { message: { ...message('x'), messageId: '' } }, 'message.messageId'],
    ['SendStreamingMessage', { message: { ...message('x'), role: 'ROLE_BOSS' } }, 'message.role'],
    ['SendMessage', { message: { ...message('x'), parts: [{}] } }, 'message.parts[0]'],
    ['GetTask', { id: 'x', historyLength: -1 }, 'historyLength'],
    ['ListTasks', { pageSize: 101 }, 'pageSize'],
    ['ListTasks', { pageSize: 0 }, 'pageSize'],
    ['ListTasks', { status: 'working' }, 'status'],
    ...(isText
      ? ([
          ['GetTask', { id: 'x', historyLength: '1.5' }, 'historyLength'],
          ['ListTasks', { statusTimestampAfter: 'yesterday' }, 'statusTimestampAfter'],
          ['ListTasks', { includeArtifacts: 'True' }, 'includeArtifacts'],
        ] as const)
      : []),
    ['CreateTaskPushNotificationConfig', { taskId: 't', token: 'x' }, 'url'],
  ])('%s with %j names the field that is wrong', async (method, params, field) => {
    const { error } = await ask(method, params);
    expect(error).toMatchObject({ reason: 'INVALID_PARAMS', fields: [field] });
  });

  it('a version that is not spoken is refused by every operation', async () => {
    const headers = { ...HEADERS, 'A2A-Version': '99.0' };
    for (const method of ['SendMessage', 'SendStreamingMessage', 'ListTasks', 'GetExtendedAgentCard']) {
      const { error } = await ask(method, { message: message('echo a') }, headers);
      expect(error?.reason).toBe('VERSION_NOT_SUPPORTED');
    }
  });

  it('a patch digit of the version does not count', async () => {
    const { error } = await ask('GetTask', { id: 'x' }, { ...HEADERS, 'A2A-Version': '1.0.7' });
    expect(error?.reason).toBe('TASK_NOT_FOUND');
  });

  it('an Idempotency-Key makes two messages one task', async () => {
    const headers = { ...HEADERS, 'Idempotency-Key': `key-of-${_name}` };
    const text = { message: message('hold'), configuration: { returnImmediately: true } };
    const [one, two] = [
      await ask('SendMessage', text, headers),
      await ask('SendMessage', { ...text, message: { ...text.message, messageId: 'other' } }, headers),
    ];
    expect(two.result.task.id).toBe(one.result.task.id);
  });

  it('what a bug says stays in the log', async () => {
    const { id } = await begin('hold');
    const { tasks } = gateway();
    const read = tasks.read.bind(tasks);
    tasks.read = () => Promise.reject(new Error('secret host temporal.internal:7233'));
    const { error } = await ask('GetTask', { id }).finally(() => {
      tasks.read = read;
    });
    expect(error).toEqual({ reason: 'INTERNAL_ERROR', message: 'Internal error', fields: [] });
  });
});
