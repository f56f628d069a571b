import { describe, expect, it } from '@jest/globals';
import { BOB, HEADERS, message, rpc, type RpcAnswer, send } from '../../support/gateway.ts';
import { sharedGateway } from '../../support/shared-gateway.ts';
import { until } from '../../support/fake-task-workflows.ts';

const stateOf = ({ body }: RpcAnswer): string => body.result.task.status.state;
const taskOf = ({ body }: RpcAnswer) => body.result.task;

describe('SendMessage', () => {
  const gateway = sharedGateway();
  const sendAgain = (sent: object, headers?: Record<string, string>) =>
    rpc(gateway().url, 'SendMessage', { message: sent }, headers);
  const reply = (taskId: string, text: string, more: object = {}) => sendAgain({ ...message(text), taskId, ...more });

  describe('a new message', () => {
    it('gives the same finished task to each repetition, and runs once', async () => {
      const sent = message('echo a');
      const answers = [await sendAgain(sent), await sendAgain(sent), await sendAgain(sent)];
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(gateway().begun.filter((id) => id === taskOf(answers[0]!).id)).toHaveLength(1);
    });

    it('runs once for twenty at the same time', async () => {
      const sent = message('echo a');
      const answers = await Promise.all(Array.from({ length: 20 }, () => sendAgain(sent)));
      expect(new Set(answers.map((answer) => taskOf(answer).id)).size).toBe(1);
      expect(answers.map(stateOf)).toEqual(Array(20).fill('TASK_STATE_COMPLETED'));
    });

    it('refuses a messageId that came with other content', async () => {
      const sent = message('echo a');
      await sendAgain(sent);
      const { body } = await sendAgain({ ...sent, parts: [{ text: 'echo b' }] });
      expect(body.error).toMatchObject({ code: -32602, data: [{ metadata: { category: 'message-conflict' } }] });
    });

    it('gives another caller a task of their own for the same messageId', async () => {
      const sent = message('echo a');
      expect(taskOf(await sendAgain(sent, BOB)).id).not.toBe(taskOf(await sendAgain(sent)).id);
    });

    it('does not count the configuration as content', async () => {
      const sent = message('echo a');
      const first = taskOf(await sendAgain(sent));
      const { body } = await rpc(gateway().url, 'SendMessage', { message: sent, configuration: { historyLength: 0 } });
      const { history: _, ...rest } = first;
      expect(body.result.task).toEqual(rest);
    });

    it('lets a repetition wait for the task that runs', async () => {
      const sent = message('hold');
      const [first, second] = [sendAgain(sent), sendAgain(sent)];
      await until(() => gateway().begun.length > 0, 'the task runs');
      const id = await taskIdOf(sent);
      gateway().tasks.complete(id, 'done');
      expect([stateOf(await first), stateOf(await second)]).toEqual(['TASK_STATE_COMPLETED', 'TASK_STATE_COMPLETED']);
    });

    it('goes on without the client that gave up, and answers its retry', async () => {
      const sent = message('hold');
      const gaveUp = new AbortController();
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: sent } });
      const cut = fetch(`${gateway().url}/a2a`, { method: 'POST', headers: HEADERS, body, signal: gaveUp.signal });
      const id = await taskIdOf(sent);
      gaveUp.abort();
      await expect(cut).rejects.toThrow();
      const retry = sendAgain(sent);
      gateway().tasks.complete(id, 'done');
      expect(stateOf(await retry)).toBe('TASK_STATE_COMPLETED');
    });

    it('starts a task of its own in a context that is given, and makes none for a taskId that is not there', async () => {
      const first = taskOf(await send(gateway(), 'ask'));
      const second = taskOf(await send(gateway(), 'echo b', { contextId: first.contextId }));
      expect(second.id).not.toBe(first.id);
      expect(second.contextId).toBe(first.contextId);
      const before = gateway().begun.length;
      expect((await send(gateway(), 'echo c', { taskId: 'my-own-id' })).body.error.code).toBe(-32001);
      expect(gateway().begun).toHaveLength(before);
    });

    it('answers with a Message where the skill replies with one', async () => {
      const { body } = await send(gateway(), 'reply good day');
      expect(body.result).toEqual({
        message: {
          messageId: expect.any(String),
          contextId: expect.any(String),
          role: 'ROLE_AGENT',
          parts: [{ text: 'good day' }],
        },
      });
    });

    it('takes an Idempotency-Key in the place of the messageId', async () => {
      const headers = { ...HEADERS, 'Idempotency-Key': 'order-17' };
      const [one, other] = [await send(gateway(), 'echo a', { headers }), await send(gateway(), 'echo a', { headers })];
      expect(taskOf(one).id).toBe(taskOf(other).id);
    });

    it.each([
      [undefined, 100],
      [0, 0],
      [2, 2],
    ])('shows, of a long history with historyLength %s, the newest %s', async (historyLength, shown) => {
      const { id } = taskOf(await send(gateway(), 'hold', { configuration: { returnImmediately: true } }));
      for (let turn = 0; turn < 120; turn += 1) {
        const { requestId } = gateway().tasks.ask(id, `Question ${turn}`);
        gateway().tasks.record(id, { type: 'settled', requestId });
      }
      const { body } = await rpc(gateway().url, 'GetTask', {
        id,
        ...(historyLength !== undefined && { historyLength }),
      });
      expect(body.result.history ?? []).toHaveLength(shown);
      if (shown > 0) expect(body.result.history[shown - 1].parts[0].text).toBe('Question 119');
      expect((await rpc(gateway().url, 'GetTask', { id, historyLength: -1 })).body.error.code).toBe(-32602);
    });

    it('shows nothing of its bookkeeping', async () => {
      const task = taskOf(await send(gateway(), 'ask'));
      expect(Object.keys(task).sort()).toEqual(['contextId', 'history', 'id', 'status']);
    });
  });

  describe('a message to a task', () => {
    it('answers the open question with the taskId alone', async () => {
      const asked = taskOf(await send(gateway(), 'ask'));
      expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
      const done = taskOf(await reply(asked.id, 'blue'));
      expect(done).toMatchObject({
        id: asked.id,
        contextId: asked.contextId,
        status: { state: 'TASK_STATE_COMPLETED' },
      });
      expect(done.artifacts[0].parts[0].text).toBe('blue');
    });

    it('comes back at the second question, not at the first again', async () => {
      const asked = taskOf(await send(gateway(), 'ask-twice'));
      expect(asked.status.message.parts[0].text).toBe('First?');
      const again = taskOf(await reply(asked.id, 'one'));
      expect(again.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
      expect(again.status.message.parts[0].text).toBe('Second?');
    });

    it('counts once, in parallel and after the end', async () => {
      const { id } = taskOf(await send(gateway(), 'ask'));
      const answer = { ...message('blue'), taskId: id };
      const [one, other] = await Promise.all([sendAgain(answer), sendAgain(answer)]);
      const late = await sendAgain(answer);
      expect([stateOf(one), stateOf(other), stateOf(late)]).toEqual(Array(3).fill('TASK_STATE_COMPLETED'));
      const history = taskOf(late).history as { messageId: string }[];
      const said = history.filter(({ messageId }) => messageId === answer.messageId);
      expect(said).toHaveLength(1);
      expect((await reply(id, 'green')).body.error.code).toBe(-32004);
    });

    it('conflicts with other content under its messageId, also after the end', async () => {
      const { id } = taskOf(await send(gateway(), 'ask'));
      const answer = { ...message('blue'), taskId: id };
      await sendAgain(answer);
      const { body } = await sendAgain({ ...answer, parts: [{ text: 'red' }] });
      expect(body.error).toMatchObject({ code: -32602, data: [{ metadata: { category: 'message-conflict' } }] });
    });

    it('refuses another context, also when the task has ended', async () => {
      const asked = taskOf(await send(gateway(), 'ask'));
      const ended = taskOf(await send(gateway(), 'echo a'));
      for (const { id } of [asked, ended]) {
        const { body } = await reply(id, 'blue', { contextId: 'another' });
        expect(body.error.code).toBe(-32602);
        expect(body.error.data[1].fieldViolations[0].field).toBe('message.contextId');
      }
    });

    it('is refused with -32004 by a task that works and takes no follow-ups', async () => {
      const { id } = taskOf(await send(gateway(), 'hold', { configuration: { returnImmediately: true } }));
      const { body } = await reply(id, 'and also');
      expect(body.error).toMatchObject({ code: -32004, data: [{ metadata: { category: 'not-waiting' } }] });
    });

    it('names the open questions when there are several, and answers the one that it names', async () => {
      const { id } = taskOf(await send(gateway(), 'hold', { configuration: { returnImmediately: true } }));
      const first = gateway().tasks.ask(id, 'First?');
      const second = gateway().tasks.ask(id, 'And?');
      const { body } = await reply(id, 'which?');
      expect(body.error.code).toBe(-32602);
      expect(body.error.data[0].metadata).toEqual({
        category: 'several-questions',
        requestIds: `${first.requestId},${second.requestId}`,
      });
      const named = await reply(id, 'this', { metadata: { requestId: second.requestId } });
      expect(stateOf(named)).toBe('TASK_STATE_COMPLETED');
      expect(gateway().tasks.received.at(-1)).toMatchObject({
        requestId: second.requestId,
        answer: { kind: 'free_text', text: 'this' },
      });
      expect(taskOf(named).history).toMatchObject([{}, {}, { parts: [{ text: 'this' }] }]);
    });

    it('says that a question is stale when it is no longer open', async () => {
      const { id } = taskOf(await send(gateway(), 'ask-twice'));
      const { requestId } = (await gateway().tasks.read(id)).questions[0]!;
      await reply(id, 'one');
      const { body } = await reply(id, 'late', { metadata: { requestId } });
      expect(body.error).toMatchObject({ code: -32602, data: [{ metadata: { category: 'stale-question' } }] });
    });

    it('returns at once after its receipt with returnImmediately', async () => {
      const { id } = taskOf(await send(gateway(), 'ask'));
      const { body } = await send(gateway(), 'blue', { taskId: id, configuration: { returnImmediately: true } });
      expect(body.result.task.id).toBe(id);
    });

    it('keeps blocking while an operator must answer', async () => {
      const sent = message('ask-operator');
      const answer = sendAgain(sent);
      const id = await taskIdOf(sent);
      const [question] = (await gateway().tasks.read(id)).questions;
      expect(question?.callerAnswerable).toBe(false);
      gateway().tasks.record(id, { type: 'settled', requestId: question!.requestId });
      gateway().tasks.complete(id, 'published');
      expect(stateOf(await answer)).toBe('TASK_STATE_COMPLETED');
    });
  });

  describe('with no worker up', () => {
    it('takes submissions and answers, and shows the task as it stands', async () => {
      const { tasks } = gateway();
      const { id } = taskOf(await send(gateway(), 'ask'));
      tasks.workers = 0;
      const submitted = send(gateway(), 'echo later');
      const answered = reply(id, 'blue');
      expect(stateOf(await submitted)).toBe('TASK_STATE_SUBMITTED');
      expect(stateOf(await answered)).toBe('TASK_STATE_INPUT_REQUIRED');
      expect(tasks.received.at(-1)).toMatchObject({ by: 'caller', message: { parts: [{ text: 'blue' }] } });
      tasks.workers = 1;
    });
  });

  /** The task that a message was given, without waiting for it. */
  async function taskIdOf(sent: object): Promise<string> {
    const { body } = await rpc(gateway().url, 'SendMessage', {
      message: sent,
      configuration: { returnImmediately: true },
    });
    return body.result.task.id as string;
  }
});

describe('a blocking send', () => {
  const gateway = sharedGateway({ service: { limits: { bodyBytesMax: 1_000_000, blockingMaxMs: 100 } } });

  it('ends after the limit with the task as it is', async () => {
    expect(stateOf(await send(gateway(), 'hold'))).toBe('TASK_STATE_WORKING');
  });
});
