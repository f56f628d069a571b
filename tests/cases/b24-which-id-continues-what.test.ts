/** A taskId continues that task, a contextId begins a new one beside it, and neither is ever made up by a caller. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Task } from '../../src/domain/a2a.ts';
import { sharedDeployment } from '../support/deployment.ts';
import { testServer } from '../support/environment.ts';

const deployment = sharedDeployment();

async function sendFor(text: string, message: Record<string, unknown> = {}): Promise<Task> {
  return (await deployment().send(text, { message })).body.result.task as Task;
}

let asked: Task;
let completed: Task;

beforeAll(async () => {
  asked = await sendFor('ask');
  completed = await sendFor('echo done');
  expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
});

it('the taskId alone continues the task, in its context', async () => {
  const { id, contextId } = await sendFor('ask');
  const answered = await sendFor('blue', { taskId: id });
  expect(answered).toMatchObject({ id, contextId, status: { state: 'TASK_STATE_COMPLETED' } });
  expect(answered.history?.at(-1)).toMatchObject({ taskId: id, contextId });
});

it('the taskId with its own contextId does, too', async () => {
  const { id, contextId } = await sendFor('ask');
  expect(await sendFor('blue', { taskId: id, contextId })).toMatchObject({ id, contextId });
});

it('the contextId alone begins a new task in that context, and the one that waits there goes on waiting', async () => {
  const { id, contextId } = asked;
  const beside = await sendFor('echo beside', { contextId });
  expect(beside).toMatchObject({ contextId, status: { state: 'TASK_STATE_COMPLETED' } });
  expect(beside.id).not.toBe(id);
  expect(await deployment().task(id)).toEqual(asked);
});

describe.each(['SendMessage', 'SendStreamingMessage'])('by %s', (method) => {
  const refusal = async (fields: Record<string, unknown>): Promise<unknown> => {
    const before = await deployment().calls();
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'echo no' }], ...fields };
    const { headers, body } = await deployment().rpc(method, { message });
    expect(headers.get('Content-Type')).toMatch(/^application\/json/);
    expect(body.result).toBeUndefined();
    expect(await deployment().calls()).toEqual(before);
    return body.error;
  };
  const notFound = { code: -32001, data: [{ reason: 'TASK_NOT_FOUND' }] };

  it('the taskId with another contextId is refused, and the question stays', async () => {
    for (const contextId of [randomUUID(), completed.contextId]) {
      expect(await refusal({ taskId: asked.id, contextId })).toMatchObject({
        code: -32602,
        data: [{}, { fieldViolations: [{ field: 'message.contextId' }] }],
      });
    }
    expect(await deployment().task(asked.id)).toEqual(asked);
  });

  it('the taskId of a task that has ended is refused, whatever the context', async () => {
    const ended = { code: -32004, data: [{ reason: 'UNSUPPORTED_OPERATION' }] };
    expect(await refusal({ taskId: completed.id })).toMatchObject(ended);
    expect(await refusal({ taskId: completed.id, contextId: completed.contextId })).toMatchObject(ended);
    expect(await refusal({ taskId: completed.id, contextId: randomUUID() })).toHaveProperty('code', -32602);
    expect(await deployment().task(completed.id)).toEqual(completed);
  });

  it.each([
    ['of the right form', () => `stub-${'a'.repeat(26)}`],
    ['of any form', () => randomUUID()],
    ['no longer like an ID', () => `x${'y'.repeat(1000)}`],
    ['with a slash in it', () => '../stub/%00'],
  ])('an unknown taskId %s is not found, and no task is made of it', async (_form, taskIdOf) => {
    const taskId = taskIdOf();
    expect(await refusal({ taskId })).toMatchObject(notFound);
    expect(await refusal({ taskId, contextId: asked.contextId })).toMatchObject(notFound);
    expect((await deployment().rpc('GetTask', { id: taskId })).body.error).toMatchObject(notFound);
    if (taskId.length > 255) return;
    const { workflow } = await testServer().client();
    await expect(workflow.getHandle(taskId).describe()).rejects.toThrow('not found');
  });
});
