/** A blocking call comes back when it is the caller's turn, an immediate one at once, and each tells one moment of the task. */
import { describe, expect, it } from '@jest/globals';
import type { Task } from '../../src/domain/a2a.ts';
import { sharedDeployment } from '../support/deployment.ts';

const deployment = sharedDeployment();
const immediately = { configuration: { returnImmediately: true } } as const;

const requestIdOf = ({ status }: Task): unknown => status.message?.metadata?.['requestId'];
const questionOf = ({ status }: Task): unknown => status.message?.parts[0]?.text;

describe('a blocking send', () => {
  it('comes back at each question with that question, and at the end with the result', async () => {
    const first = (await deployment().send('ask-twice')).body.result.task as Task;
    expect(first.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(questionOf(first)).toBe('What colour?');
    expect((await deployment().task(first.id)).status).toEqual(first.status);

    const message = { taskId: first.id };
    const second = (await deployment().send('blue', { message })).body.result.task as Task;
    expect(second.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(questionOf(second)).toBe('What size, in blue?');
    expect(requestIdOf(second)).not.toBe(requestIdOf(first));
    expect(second.status.timestamp > first.status.timestamp).toBe(true);
    expect((await deployment().task(first.id)).status).toEqual(second.status);

    const last = (await deployment().send('large', { message })).body.result.task as Task;
    expect(last).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED', message: { parts: [{ text: 'blue large' }] } },
      artifacts: [{ parts: [{ text: 'blue large' }] }],
    });
  });

  it('comes back when the task fails, saying so', async () => {
    const { status } = (await deployment().send('fail')).body.result.task as Task;
    expect(status).toMatchObject({ state: 'TASK_STATE_FAILED', message: { parts: [{ text: expect.any(String) }] } });
    expect(JSON.stringify(status)).not.toContain('told to fail'); // an error's own text stays with the operators
  });

  it('comes back when somebody must sign in', async () => {
    const { status } = (await deployment().send('auth-required')).body.result.task as Task;
    expect(status).toMatchObject({
      state: 'TASK_STATE_AUTH_REQUIRED',
      message: { parts: [{ text: 'Sign in first' }] },
    });
  });
});

describe('an immediate send', () => {
  it('does not wait for the work', async () => {
    const { id, status, artifacts } = (await deployment().send('wait here', immediately)).body.result.task as Task;
    expect(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']).toContain(status.state);
    expect(artifacts).toBeUndefined();
    await deployment().open('here');
    await deployment().reaches(id, 'TASK_STATE_COMPLETED');
  });

  it.each(['fail', 'ask', 'echo a'])('tells one moment of a task that moves on at once: %s', async (text) => {
    const { id, status, artifacts } = (await deployment().send(text, immediately)).body.result.task as Task;
    const end = { fail: 'TASK_STATE_FAILED', ask: 'TASK_STATE_INPUT_REQUIRED', 'echo a': 'TASK_STATE_COMPLETED' }[
      text
    ]!;
    const later = await deployment().reaches(id, end as Task['status']['state']);
    if (status.state === end) {
      expect({ status, artifacts }).toEqual({ status: later.status, artifacts: later.artifacts });
    } else {
      expect(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']).toContain(status.state);
      expect(status.message).toBeUndefined();
      expect(status.timestamp <= later.status.timestamp).toBe(true);
    }
  });

  it('tells a new task as it was sent, before anything has happened to it', async () => {
    const task = (await deployment().send('hold still', immediately)).body.result.task as Task;
    expect(task).toMatchObject({
      status: { state: 'TASK_STATE_SUBMITTED' },
      history: [{ role: 'ROLE_USER', parts: [{ text: 'hold still' }], taskId: task.id, contextId: task.contextId }],
    });
    expect(task.artifacts).toBeUndefined();
  });

  it('takes an answer without going back to its question', async () => {
    const asked = (await deployment().send('ask-twice')).body.result.task as Task;
    const answered = (await deployment().send('blue', { ...immediately, message: { taskId: asked.id } })).body.result
      .task as Task;
    expect(requestIdOf(answered)).not.toBe(requestIdOf(asked));
    const second = await deployment().reaches(asked.id, 'TASK_STATE_INPUT_REQUIRED');
    expect(questionOf(second)).toBe('What size, in blue?');
  });
});
