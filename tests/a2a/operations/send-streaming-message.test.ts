import { describe, expect, it } from '@jest/globals';
import { message, openStream, rpc, type SseEvent, startGateway } from '../../support/gateway.ts';
import { until } from '../../support/fake-task-workflows.ts';
import { sharedGateway } from '../../support/shared-gateway.ts';

const kinds = (events: readonly SseEvent[]): string[] => events.map(({ data }) => Object.keys(data.result)[0]!);
const states = (events: readonly SseEvent[]): string[] =>
  events.flatMap(({ data: { result } }) => (result.statusUpdate ?? result.task)?.status.state ?? []);

describe('SendStreamingMessage', () => {
  const gateway = sharedGateway();
  const stream = (text: string, more: object = {}) =>
    openStream(gateway().url, 'SendStreamingMessage', { message: { ...message(text), ...more } });

  it('shows the task first, then what happens to it, and closes at the end', async () => {
    await using events = await stream('hold');
    expect(events.response.headers.get('content-type')).toBe('text/event-stream');
    expect(events.response.headers.get('x-accel-buffering')).toBe('no');
    const first = await events.next();
    const { id } = first!.data.result.task;
    gateway().tasks.progress(id, 1, { text: 'Reading', percent: 40, at: new Date().toISOString() });
    gateway().tasks.complete(id, 'done');
    const rest = await events.rest();
    expect(kinds(rest)).toEqual(['statusUpdate', 'artifactUpdate', 'statusUpdate']);
    expect(rest[0]!.data).toMatchObject({
      jsonrpc: '2.0',
      id: 7,
      result: { statusUpdate: { metadata: { percent: 40 } } },
    });
    expect(states(rest).at(-1)).toBe('TASK_STATE_COMPLETED');
    expect([first!, ...rest].every((event) => event.id !== undefined)).toBe(true);
  });

  it('shows a task that has ended before, and closes', async () => {
    const sent = message('echo a');
    await rpc(gateway().url, 'SendMessage', { message: sent });
    await using events = await openStream(gateway().url, 'SendStreamingMessage', { message: sent });
    expect(states(await events.rest())).toEqual(['TASK_STATE_COMPLETED']);
  });

  it("closes when it is the caller's turn", async () => {
    await using events = await stream('hold');
    const { id } = (await events.next())!.data.result.task;
    gateway().tasks.ask(id, 'Which?');
    expect(states(await events.rest())).toEqual(['TASK_STATE_INPUT_REQUIRED']);
    gateway().tasks.close(id, 'terminated');
  });

  it("stays open when it is an operator's turn", async () => {
    await using events = await stream('ask-operator');
    const { id } = (await events.next())!.data.result.task;
    gateway().tasks.complete(id, 'published');
    expect(states(await events.rest())).toEqual(['TASK_STATE_COMPLETED']);
  });

  it('shows what an answer brings, not the question again', async () => {
    const asked = await rpc(gateway().url, 'SendMessage', { message: message('ask-twice') });
    const { id } = asked.body.result.task;
    await using events = await stream('one', { taskId: id });
    const all = await events.rest();
    expect(kinds(all)[0]).toBe('task');
    expect(all.at(-1)!.data.result.task.status.message.parts[0].text).toBe('Second?');
  });

  it('is one Message when the skill replies with one', async () => {
    await using events = await stream('reply good day');
    const all = await events.rest();
    expect(kinds(all)).toEqual(['message']);
    expect(all[0]!.data.result.message.parts[0].text).toBe('good day');
  });

  it('gives a late reply as the last status, not as a Message among updates', async () => {
    await using events = await stream('hold');
    const { id, contextId } = (await events.next())!.data.result.task;
    gateway().tasks.record(id, {
      type: 'reply',
      message: { messageId: 'r', contextId, role: 'ROLE_AGENT', parts: [{ text: 'hi' }] },
    });
    gateway().tasks.status(id, 'TASK_STATE_COMPLETED');
    const rest = await events.rest();
    expect(kinds(rest)).toEqual(['statusUpdate']);
    expect(rest[0]!.data.result.statusUpdate.status.message.parts[0].text).toBe('hi');
  });

  it('answers what fails before the first event in JSON', async () => {
    const { headers, body } = await rpc(gateway().url, 'SendStreamingMessage', {
      message: message('x', { taskId: 'unknown' }),
    });
    expect(headers.get('content-type')).toMatch('application/json');
    expect(body.error.code).toBe(-32001);
  });

  it('shows life to proxies while nothing happens', async () => {
    await using busy = await startGateway({ http: { streamHeartbeatMs: 20 } });
    await using events = await openStream(busy.url, 'SendStreamingMessage', { message: message('hold') });
    const { id } = (await events.next())!.data.result.task;
    const last = events.next();
    await until(() => events.comments.length >= 2, 'comments have come');
    busy.tasks.status(id, 'TASK_STATE_COMPLETED');
    expect((await last)!.data.result.statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
    expect(await events.rest()).toEqual([]);
    expect(new Set(events.comments)).toEqual(new Set([': keep-alive']));
  });

  it('leaves the task alone when its reader goes', async () => {
    const events = await stream('hold');
    const { id } = (await events.next())!.data.result.task;
    await events[Symbol.asyncDispose]();
    gateway().tasks.complete(id, 'done');
    expect((await rpc(gateway().url, 'GetTask', { id })).body.result.status.state).toBe('TASK_STATE_COMPLETED');
  });
});
