/** An answer is delivered again, at the same time and later. */
import { expect, it } from '@jest/globals';
import type { Task } from '../../src/domain/a2a.ts';
import { sharedDeployment } from '../support/deployment.ts';

const deployment = sharedDeployment({ gateways: 2 });

it('an answer sent twice at once and once more after the end is heard once, and each sender gets the finished task', async () => {
  const asked = (await deployment().send('ask')).body.result.task as Task;
  expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  const answer = { message: { messageId: 'r1', taskId: asked.id } };

  const [one, other] = await Promise.all([
    deployment().send('blue', answer),
    deployment().send('blue', { ...answer, gateway: 1 }),
  ]);
  const finished = one.body.result.task as Task;
  expect(finished).toMatchObject({
    id: asked.id,
    status: { state: 'TASK_STATE_COMPLETED' },
    artifacts: [{ parts: [{ text: 'blue' }] }],
  });
  expect(other.body.result.task).toEqual(finished);
  expect(finished.history?.filter(({ messageId }) => messageId === 'r1')).toHaveLength(1);

  expect((await deployment().send('blue', answer)).body.result.task).toEqual(finished);
  expect(await deployment().calls({ event: 'heard' })).toMatchObject([{ text: 'blue' }]);
  expect(await deployment().calls({ event: 'run' })).toHaveLength(2); // up to the question, and from the answer on
});

it('after the end, an answer that is new is refused, and so is a known one with other content', async () => {
  const { id } = (await deployment().send('ask')).body.result.task as Task;
  const answer = { messageId: 'r2', taskId: id };
  const finished = (await deployment().send('red', { message: answer })).body.result.task as Task;
  expect(finished.status.state).toBe('TASK_STATE_COMPLETED');

  const late = await deployment().send('green', { message: { messageId: 'r3', taskId: id } });
  expect(late.body.error).toMatchObject({ code: -32004, data: [{ reason: 'UNSUPPORTED_OPERATION' }] });
  const changed = await deployment().send('green', { message: answer });
  expect(changed.body.error).toMatchObject({ code: -32602, data: [{ metadata: { category: 'message-conflict' } }] });
  expect(await deployment().task(id)).toEqual(finished);
  expect(await deployment().calls({ event: 'heard', text: 'green' })).toEqual([]);
});
