/** A message is its caller's, its publication's, and its content: nothing more, nothing less. */
import { expect, it } from '@jest/globals';
import { sharedDeployment, type SendOptions } from '../support/deployment.ts';

const deployment = sharedDeployment({
  publications: `
- id: other
  name: Other
  description: The same under another name.
  executor: { kind: function, module: ./stub-executor.ts, export: stub }
  allowed_callers: [alice]`,
});

async function taskIdOf(text: string, options?: SendOptions): Promise<string> {
  const answer = await deployment().send(text, options);
  expect(answer.body).toHaveProperty('result.task.status.state', 'TASK_STATE_COMPLETED');
  return answer.body.result.task.id as string;
}

it('another text under a used messageId is a conflict, and nothing runs', async () => {
  await taskIdOf('echo a', { message: { messageId: 'a1' } });
  const runs = (await deployment().calls()).length;
  const { status, body } = await deployment().send('echo b', { message: { messageId: 'a1' } });
  expect(status).toBe(200);
  expect(body.error).toMatchObject({
    code: -32602,
    message: expect.stringContaining('different input'),
    data: [{ reason: 'INVALID_PARAMS', metadata: { category: 'message-conflict' } }],
  });
  expect(await deployment().calls()).toHaveLength(runs);
});

it('the same text under another messageId is another task', async () => {
  const first = await taskIdOf('echo a', { message: { messageId: 'b1' } });
  expect(await taskIdOf('echo a', { message: { messageId: 'b2' } })).not.toBe(first);
});

it("another caller's same message is a task of that caller", async () => {
  const alices = await taskIdOf('echo a', { message: { messageId: 'c1' } });
  const bobs = await taskIdOf('echo a', { message: { messageId: 'c1' }, as: 'bob' });
  expect(bobs).not.toBe(alices);
  expect(await deployment().task(bobs, { as: 'bob' })).toMatchObject({ id: bobs });
  expect((await deployment().rpc('GetTask', { id: bobs })).body.error.code).toBe(-32001);
  expect((await deployment().calls({ messageId: 'c1', event: 'run' })).map(({ caller }) => caller)).toEqual([
    'alice',
    'bob',
  ]);
});

it('the same message to another publication is a task of that publication', async () => {
  const first = await taskIdOf('echo a', { message: { messageId: 'p1' } });
  const other = await taskIdOf('echo a', { message: { messageId: 'p1', metadata: { skillHint: 'other' } } });
  expect(other).not.toBe(first);
  expect(other).toMatch(/^other-/);
});

it.each([
  [
    'with its keys in another order and white space between them',
    `{ "params" : { "message" : { "metadata" : { "b" : { "d" : 2, "c" : 1 }, "a" : 1 },\n\t"parts" : [ { "text" : "echo a" } ],
       "role" : "ROLE_USER", "messageId" : "d1" } }, "method" : "SendMessage", "id" : 1, "jsonrpc" : "2.0" }`,
  ],
  [
    'with the other spelling of its fields, and escapes in its text',
    `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"message_id":"d1","role":1,
      "parts":[{"text":"\\u0065cho a"}],"metadata":{"a":1.0,"b":{"c":1,"d":2}},"context_id":"","extensions":[]}}}`,
  ],
  [
    'with another configuration',
    `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"d1","role":"ROLE_USER",
      "parts":[{"text":"echo a"}],"metadata":{"a":1,"b":{"c":1,"d":2}}},"configuration":{"historyLength":5}}}`,
  ],
])('a message is the same %s', async (_how, body) => {
  const first = await taskIdOf('echo a', { message: { messageId: 'd1', metadata: { a: 1, b: { c: 1, d: 2 } } } });
  const again = await deployment().post(body);
  expect(again.body).toMatchObject({
    id: 1,
    result: { task: { id: first, status: { state: 'TASK_STATE_COMPLETED' } } },
  });
  expect(await deployment().calls({ messageId: 'd1', event: 'run' })).toHaveLength(1);
});
