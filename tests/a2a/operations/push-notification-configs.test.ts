import { describe, expect, it } from '@jest/globals';
import type { TaskPushNotificationConfig } from '../../../src/domain/a2a.ts';
import { HEADERS, rpc, type RpcAnswer, send, startGateway } from '../../support/gateway.ts';
import { sharedGateway } from '../../support/shared-gateway.ts';

const gateway = sharedGateway();
const call = (method: string, params: unknown, headers: Record<string, string> = HEADERS): Promise<RpcAnswer> =>
  rpc(gateway().url, method, params, headers);
const URL = 'https://example.com/hook';

async function newTask(): Promise<string> {
  const { body } = await send(gateway(), 'echo a');
  return (body.result as { task: { id: string } }).task.id;
}

const create = async (config: Record<string, unknown>): Promise<RpcAnswer> =>
  call('CreateTaskPushNotificationConfig', { taskId: await newTask(), url: URL, ...config });

describe('the four operations', () => {
  it('create, get, list and delete, also after the end, by (task, id)', async () => {
    const [taskId, other] = [await newTask(), await newTask()];
    const config = { taskId, id: 'h', url: URL, token: 't', authentication: { scheme: 'Bearer', credentials: 's' } };
    expect((await call('CreateTaskPushNotificationConfig', config)).body.result).toEqual(config);
    await call('CreateTaskPushNotificationConfig', { taskId: other, id: 'h', url: `${URL}/other` });
    const made = (await call('CreateTaskPushNotificationConfig', { task_id: taskId, url: URL })).body
      .result as TaskPushNotificationConfig;
    expect(made).toEqual({ taskId, id: expect.stringMatching(/^[0-9a-f-]{36}$/), url: URL });

    expect((await call('GetTaskPushNotificationConfig', { taskId, id: 'h' })).body.result).toEqual(config);
    expect((await call('ListTaskPushNotificationConfigs', { taskId })).body.result).toEqual({
      configs: [config, made],
      nextPageToken: '',
    });
    for (let times = 1; times <= 2; times += 1) {
      expect((await call('DeleteTaskPushNotificationConfig', { taskId, id: 'h' })).body.result).toEqual({});
    }
    expect((await call('GetTaskPushNotificationConfig', { taskId, id: 'h' })).body.error.code).toBe(-32001);
    expect((await call('GetTaskPushNotificationConfig', { taskId: other, id: 'h' })).body.result).toMatchObject({
      url: `${URL}/other`,
    });
  });

  it.each([
    ['CreateTaskPushNotificationConfig', { url: URL }],
    ['GetTaskPushNotificationConfig', { id: 'h' }],
    ['ListTaskPushNotificationConfigs', {}],
    ['DeleteTaskPushNotificationConfig', { id: 'h' }],
  ])('%s finds no task of another, byte for byte like one that does not exist', async (method, params) => {
    const taskId = await newTask();
    const asBob = { ...HEADERS, Authorization: 'Bearer bob-token' };
    const answers = [taskId, 'none'].map(async (id) => call(method, { taskId: id, ...params }, asBob));
    const [foreign, none] = await Promise.all(answers);
    expect(foreign!.body.error.code).toBe(-32001);
    expect(foreign!.text).toBe(none!.text);
  });

  it.each([
    ['CreateTaskPushNotificationConfig', { taskId: 't', url: URL }],
    ['GetTaskPushNotificationConfig', { taskId: 't', id: 'h' }],
    ['ListTaskPushNotificationConfigs', { taskId: 't' }],
    ['DeleteTaskPushNotificationConfig', { taskId: 't', id: 'h' }],
    [
      'SendMessage',
      {
        message: { messageId: 'off', role: 'ROLE_USER', parts: [{ text: 'a' }] },
        configuration: { taskPushNotificationConfig: { url: URL } },
      },
    ],
  ])('%s is not supported where push notifications are off', async (method, params) => {
    await using off = await startGateway({ service: { push: { isEnabled: false } as never } });
    expect((await rpc(off.url, method, params, HEADERS)).body.error).toMatchObject({
      code: -32003,
      data: [{ reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED' }],
    });
    expect(off.begun).toEqual([]);
  });

  it('take no more than twenty for a task', async () => {
    const taskId = await newTask();
    const codes: unknown[] = [];
    for (let count = 1; count <= 21; count += 1) {
      const { body } = await call('CreateTaskPushNotificationConfig', { taskId, id: `${count}`, url: URL });
      codes.push(body.error?.code);
    }
    expect(codes).toEqual([...Array.from({ length: 20 }, () => undefined), -32602]);
  });
});

describe('what is refused, and not stored', () => {
  it.each<[string, Record<string, unknown>]>([
    ['url', { url: undefined }],
    ['url', { url: '' }],
    ['url', { url: 7 }],
    ['url', { url: 'http://169.254.169.254/latest' }],
    ['url', { url: 'https://2130706433/' }],
    ['url', { url: 'https://[::ffff:10.0.0.1]/' }],
    ['url', { url: 'https://localhost/' }],
    ['url', { url: 'file:///etc/passwd' }],
    ['url', { url: 'https://user:pass@example.com/' }],
    ['token', { token: 'x\r\nX-Evil: 1' }],
    ['token', { token: 'ключ' }],
    ['authentication.credentials', { authentication: { scheme: 'Bearer', credentials: 'x\r\nX-Evil: 1' } }],
    ['authentication.scheme', { authentication: { scheme: 'Bearer\n', credentials: 'x' } }],
    ['authentication.scheme', { authentication: { scheme: 'a b', credentials: 'x' } }],
    ['authentication.scheme', { authentication: { credentials: 'x' } }],
    ['id', { id: 'x'.repeat(300) }],
    ['id', { id: 'a\nb' }],
  ])('%s of %j', async (field, config) => {
    const taskId = await newTask();
    const { body } = await call('CreateTaskPushNotificationConfig', { taskId, url: URL, ...config });
    expect(body.error).toMatchObject({
      code: -32602,
      data: [{ reason: 'INVALID_PARAMS' }, { fieldViolations: [{ field }] }],
    });
    expect((await call('ListTaskPushNotificationConfigs', { taskId })).body.result).toMatchObject({ configs: [] });

    const begun = gateway().begun.length;
    const inline = await send(gateway(), 'echo a', {
      configuration: { taskPushNotificationConfig: { url: URL, ...config } },
    });
    expect(inline.body.error).toMatchObject({
      code: -32602,
      data: [{}, { fieldViolations: [{ field: `configuration.taskPushNotificationConfig.${field}` }] }],
    });
    expect(gateway().begun).toHaveLength(begun);
  });
});

describe('a webhook that comes with a message', () => {
  it('is registered once, however often the message is sent', async () => {
    const message = { messageId: 'again', role: 'ROLE_USER', parts: [{ text: 'echo a' }] };
    const params = { message, configuration: { taskPushNotificationConfig: { url: URL } } };
    const [first] = [await call('SendMessage', params), await call('SendMessage', params)];
    const taskId = (first.body.result as { task: { id: string } }).task.id;
    const { configs } = (await call('ListTaskPushNotificationConfigs', { taskId })).body.result as {
      configs: unknown[];
    };
    expect(configs).toEqual([{ taskId, id: expect.stringMatching(/./), url: URL }]);
  });
});

it('keeps no secret where Temporal, or a log, could show it', async () => {
  const { body } = await create({
    url: 'https://example.com/T0P',
    token: 't0k3n',
    authentication: { scheme: 'Bearer', credentials: 's3cret' },
  });
  const { taskId } = body.result as TaskPushNotificationConfig;
  const stored = JSON.stringify(await gateway().deliveries.list(taskId));
  expect(stored).toContain('example.com');
  expect(stored).not.toMatch(/T0P|t0k3n|s3cret/);
  expect(gateway().log.join('')).not.toMatch(/T0P|t0k3n|s3cret/);
});
