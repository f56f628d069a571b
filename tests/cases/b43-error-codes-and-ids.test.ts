/** A client can tell by the code what went wrong, and by the ID which of its requests it was. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Task } from '../../src/domain/a2a.ts';
import { sharedDeployment } from '../support/deployment.ts';
import type { RpcAnswer } from '../support/gateway.ts';

const deployment = sharedDeployment();

let asked: Task;
let completed: Task;

beforeAll(async () => {
  const [first, second] = await Promise.all([deployment().send('ask'), deployment().send('echo done')]);
  asked = first.body.result.task as Task;
  completed = second.body.result.task as Task;
});

/** Whatever it is, it shows nothing of the inside. */
function expectError({ headers, text, body }: RpcAnswer, expected: object): void {
  expect(headers.get('Content-Type')).toMatch(/^application\/json/);
  expect(body).toMatchObject({ jsonrpc: '2.0', ...expected });
  expect(Object.keys(body).sort()).toEqual(['error', 'id', 'jsonrpc']);
  expect(Object.keys(body.error).filter((key) => !['code', 'message', 'data'].includes(key))).toEqual([]);
  expect(text).not.toMatch(/\bat \w+.*:\d+:\d+|node_modules|\.ts\b/);
}

const rpcBody = (fields: object): string => JSON.stringify({ jsonrpc: '2.0', id: 3, ...fields });
const message = (fields: object): object => ({
  message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'echo no' }], ...fields },
});

describe('an envelope that is none', () => {
  it.each<[string, string | Uint8Array, number, unknown]>([
    ['bad JSON', '{"jsonrpc": "2.0", "id": 1,', -32700, null],
    ['nothing', '', -32700, null],
    ['bytes that are no UTF-8', Buffer.from('{"jsonrpc":"2.0","id":"\xff"}', 'latin1'), -32700, null],
    ['a number', '123', -32600, null],
    ['null', 'null', -32600, null],
    ['an empty list', '[]', -32600, null],
    ['a batch', `[${rpcBody({ method: 'GetTask' })}]`, -32600, null],
    ['no version', '{"id": 3, "method": "GetTask", "params": {}}', -32600, 3],
    ['another version', '{"jsonrpc": "1.0", "id": 3, "method": "GetTask"}', -32600, 3],
    ['no method', '{"jsonrpc": "2.0", "id": 3}', -32600, 3],
    ['a method that is no text', '{"jsonrpc": "2.0", "id": 3, "method": 1}', -32600, 3],
    ['an ID that is an object', '{"jsonrpc": "2.0", "id": {}, "method": "GetTask"}', -32600, null],
    ['an ID that is a boolean', '{"jsonrpc": "2.0", "id": true, "method": "GetTask"}', -32600, null],
    ['an unknown method', rpcBody({ method: 'NoSuchMethod', params: {} }), -32601, 3],
    ['a method of the version before', rpcBody({ method: 'message/send', params: {} }), -32601, 3],
    ["a method of JavaScript's", rpcBody({ method: 'constructor', params: {} }), -32601, 3],
  ])('%s', async (_what, body, code, id) => {
    const answer = await deployment().post(body);
    expect(answer.status).toBe(200);
    expectError(answer, { id, error: { code } });
  });
});

describe('parameters that are wrong', () => {
  it.each<[string, string, unknown, string | undefined]>([
    ['none, to send', 'SendMessage', undefined, ''],
    ['none, to get', 'GetTask', undefined, ''],
    ['none, to cancel', 'CancelTask', undefined, ''],
    ['none, to subscribe', 'SubscribeToTask', undefined, ''],
    ['a list', 'GetTask', [1], ''],
    ['a text', 'SendMessage', 'hello', ''],
    ['no message', 'SendMessage', {}, 'message'],
    ['no messageId', 'SendMessage', message({ messageId: undefined }), 'message.messageId'],
    ['an empty messageId', 'SendMessage', message({ messageId: '' }), 'message.messageId'],
    ['no parts', 'SendMessage', message({ parts: undefined }), 'message.parts'],
    ['empty parts', 'SendMessage', message({ parts: [] }), 'message.parts'],
    ['no role', 'SendMessage', message({ role: undefined }), 'message.role'],
    ['an unknown role', 'SendMessage', message({ role: 'ROLE_PIRATE' }), 'message.role'],
    ['a part with two contents', 'SendMessage', message({ parts: [{ text: 'a', data: {} }] }), 'message.parts[0]'],
    ['a part with no content', 'SendMessage', message({ parts: [{ filename: 'a' }] }), 'message.parts[0]'],
    ['a part that is null', 'SendMessage', message({ parts: [null] }), 'message.parts[0]'],
    ['half a surrogate pair', 'SendMessage', message({ parts: [{ text: '\ud800' }] }), undefined],
    ['a negative length', 'GetTask', { id: 'x', historyLength: -1 }, 'historyLength'],
    ['an ID that is a number', 'GetTask', { id: 5 }, 'id'],
    ['no ID', 'GetTask', {}, 'id'],
    ['a stream of them', 'SendStreamingMessage', message({ parts: [] }), 'message.parts'],
  ])('%s: %s', async (_what, method, params, field) => {
    const answer = await deployment().rpc(method, params);
    expect(answer.status).toBe(200);
    expectError(answer, {
      id: 7,
      error: {
        code: -32602,
        data: [
          { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'INVALID_PARAMS', domain: 'a2a-protocol.org' },
          {
            '@type': 'type.googleapis.com/google.rpc.BadRequest',
            fieldViolations: [{ description: expect.any(String), ...(field !== undefined && { field }) }],
          },
        ],
      },
    });
  });
});

describe("A2A's own errors", () => {
  const expectA2A = (answer: RpcAnswer, code: number, reason: string, id: unknown = 7): void => {
    expectError(answer, {
      id,
      error: {
        code,
        message: expect.stringMatching(/./),
        data: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'a2a-protocol.org' }],
      },
    });
  };

  it.each<[number, string, string, () => unknown]>([
    [-32001, 'TASK_NOT_FOUND', 'GetTask', () => ({ id: 'none' })],
    [-32001, 'TASK_NOT_FOUND', 'CancelTask', () => ({ id: 'none' })],
    [-32001, 'TASK_NOT_FOUND', 'SubscribeToTask', () => ({ id: 'none' })],
    [-32001, 'TASK_NOT_FOUND', 'SendMessage', () => message({ taskId: 'none' })],
    [-32002, 'TASK_NOT_CANCELABLE', 'CancelTask', () => ({ id: completed.id })],
    [-32004, 'UNSUPPORTED_OPERATION', 'SendMessage', () => message({ taskId: completed.id })],
    [-32004, 'UNSUPPORTED_OPERATION', 'SendStreamingMessage', () => message({ taskId: completed.id })],
    [-32004, 'UNSUPPORTED_OPERATION', 'SubscribeToTask', () => ({ id: completed.id })],
  ])('%i %s: %s', async (code, reason, method, paramsOf) => {
    const answer = await deployment().rpc(method, paramsOf());
    expect(answer.status).toBe(200);
    expectA2A(answer, code, reason);
  });

  it('-32005 CONTENT_TYPE_NOT_SUPPORTED: a body that is said to be something else', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', '']) {
      const headers = { 'Content-Type': type };
      const answer = await deployment().post(rpcBody({ method: 'GetTask', params: { id: asked.id } }), { headers });
      expect(answer.status).toBe(415);
      expectA2A(answer, -32005, 'CONTENT_TYPE_NOT_SUPPORTED', null);
    }
  });

  it.each(['99.0', '0.2', 'nonsense', '1.0.0.0'])('-32009 VERSION_NOT_SUPPORTED: "%s"', async (version) => {
    const headers = { 'A2A-Version': version };
    for (const method of ['GetTask', 'SubscribeToTask', 'SendMessage']) {
      const answer = await deployment().rpc(method, { id: asked.id }, { headers });
      expectA2A(answer, -32009, 'VERSION_NOT_SUPPORTED');
      expect(answer.body.error.message).toContain('1.0');
    }
  });

  it.each(['1.0', '1.0.3'])('speaks version %s', async (version) => {
    const { body } = await deployment().rpc('GetTask', { id: asked.id }, { headers: { 'A2A-Version': version } });
    expect(body.result.id).toBe(asked.id);
  });
});

describe('the ID of the request', () => {
  const IDS = [
    '0',
    '""',
    '1.5',
    '-1',
    'null',
    '"x"',
    `"${'i'.repeat(10_240)}"`,
    '9007199254740993',
    '"\\u0000\\u2028"',
  ];

  it.each(IDS.map((id) => [id.slice(0, 20), id]))('%s stands in the answer as it came', async (_shown, id) => {
    const call = (method: string, params: unknown): Promise<RpcAnswer> =>
      deployment().post(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${JSON.stringify(params)}}`);
    const answers = [
      await call('GetTask', { id: asked.id }),
      await call('GetTask', { id: 'none' }),
      await call('GetTask', {}),
      await call('NoSuchMethod', {}),
    ];
    expect(answers.map(({ body }) => body.error?.code)).toEqual([undefined, -32001, -32602, -32601]);
    for (const { text } of answers) expect(text).toContain(`"id":${canonical(id)},`);
  });

  it('stands in every event of a stream', async () => {
    await using stream = await deployment().stream('SubscribeToTask', { id: asked.id });
    expect((await stream.next())?.data).toMatchObject({ jsonrpc: '2.0', id: 7, result: { task: { id: asked.id } } });
  });

  it('is not there in a notification, which is not answered', async () => {
    for (const method of ['GetTask', 'NoSuchMethod']) {
      const { status, text } = await deployment().post(JSON.stringify({ jsonrpc: '2.0', method, params: {} }));
      expect([status, text]).toEqual([204, '']);
    }
  });
});

/** JSON writes one text in several ways. */
function canonical(id: string): string {
  return id.startsWith('"') ? JSON.stringify(JSON.parse(id)) : id;
}
