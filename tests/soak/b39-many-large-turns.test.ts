import { expect, it } from '@jest/globals';
import type { Task } from '../../src/domain/a2a.ts';
import { sharedDeployment } from '../support/deployment.ts';

const deployment = sharedDeployment();

it('a task of 200 turns of 30 KB keeps every word, and can still be read', async () => {
  let task = (await deployment().send('turns 200')).body.result.task as Task;
  let turns = 0;
  while (task.status.state === 'TASK_STATE_INPUT_REQUIRED') {
    turns += 1;
    const answer = `${turns} `.padEnd(30_000, '.');
    const { body } = await deployment().send(answer, {
      message: { taskId: task.id },
      configuration: { historyLength: 1 },
    });
    task = body.result.task as Task;
  }
  expect(task.status).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
  expect(turns).toBe(200);
  const { body } = await deployment().rpc('GetTask', { id: task.id, historyLength: 1_000 });
  const said = (body.result as Task).history?.filter(({ role }) => role === 'ROLE_USER').slice(1);
  expect(said?.map(({ parts }) => parts[0]?.text?.length)).toEqual(Array.from({ length: 200 }, () => 30_000));
  expect(said?.map(({ parts }) => Number.parseInt(parts[0]?.text ?? '', 10))).toEqual(
    Array.from({ length: 200 }, (_, index) => index + 1),
  );
});
