/** A task that waits for an answer outlives every process, Temporal included, and an accepted answer outlives its gateway. */
import { expect, it } from '@jest/globals';
import type { Task } from '../../src/domain/a2a.ts';
import { startDeployment } from '../support/deployment.ts';
import { startOwnServer } from '../support/environment.ts';

it('a question is there again when everything was stopped, and its answer counts once, whatever dies next', async () => {
  await using temporal = await startOwnServer();
  await using deployment = await startDeployment({ temporal, gateways: 2 });
  const ask = async (text: string): Promise<Task> => (await deployment.send(text)).body.result.task as Task;
  const [first, second, third] = [await ask('ask'), await ask('ask'), await ask('ask-twice')];

  await deployment.stop('gateway0', 'gateway1', 'worker0');
  temporal.kill();
  await temporal.restart();
  await deployment.restart('gateway0', 'gateway1', 'worker0');

  for (const [index, asked] of [first, second, third].entries()) {
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(asked.status.message?.parts[0]?.text).toBe('What colour?');
    expect(await deployment.task(asked.id, { gateway: index % 2 })).toEqual(asked);
  }
  const answered = await deployment.send('blue', { message: { taskId: first.id } });
  expect(answered.body.result.task).toMatchObject({
    status: { state: 'TASK_STATE_COMPLETED' },
    artifacts: [{ parts: [{ text: 'blue' }] }],
  });

  // Accepted, with nobody there to act on it; then the gateway dies, and whoever sent it knows nothing.
  await deployment.kill('worker0');
  const answers = [
    { taskId: second.id, messageId: 'b10-second' },
    { taskId: third.id, messageId: 'b10-third' },
  ] as const;
  for (const message of answers) {
    const { body } = await deployment.send('green', { message, configuration: { returnImmediately: true } });
    expect(body.result.task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  }
  await deployment.kill('gateway0');
  await deployment.restart('worker0');
  const sentAgain = await Promise.all(answers.map((message) => deployment.send('green', { message, gateway: 1 })));
  expect(sentAgain.map(({ body }) => body.result.task.status.state)).toEqual([
    'TASK_STATE_COMPLETED',
    'TASK_STATE_INPUT_REQUIRED',
  ]);
  expect(sentAgain[1]?.body.result.task.status.message.parts[0].text).toBe('What size, in green?');
  for (const { body } of sentAgain) {
    const said = (body.result.task as Task).history?.filter(({ messageId }) => messageId.startsWith('b10-'));
    expect(said).toHaveLength(1);
  }
  // Once by the task that has ended; the other hears it once more when its next question is answered.
  expect(await deployment.calls({ event: 'heard', text: 'green' })).toHaveLength(2);
  await deployment.restart('gateway0');
  expect(await deployment.task(second.id)).toEqual(sentAgain[0]?.body.result.task);
}, 120_000);
