/** A client whose time is shorter than the task's hangs up, and asks again. */
import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { sharedDeployment } from '../support/deployment.ts';
import { eventually } from '../support/eventually.ts';

const deployment = sharedDeployment();

it('a blocking call that is cut and made again finds the same task at work, and its answer', async () => {
  const messageId = randomUUID();
  const request = {
    jsonrpc: '2.0',
    id: 1,
    method: 'SendMessage',
    params: { message: { messageId, role: 'ROLE_USER', parts: [{ text: 'wait go' }] } },
  };
  const send = (signal?: AbortSignal): Promise<Response> =>
    fetch(`${deployment().url()}/a2a`, {
      method: 'POST',
      headers: deployment().headers(),
      body: JSON.stringify(request),
      ...(signal && { signal }),
    });

  for (let cut = 0; cut < 5; cut += 1) {
    await expect(send(AbortSignal.timeout(300))).rejects.toThrow('aborted');
  }
  await eventually(async () => (await deployment().calls({ messageId })).length > 0);
  const last = send();
  const { body } = await deployment().rpc('SendMessage', {
    ...request.params,
    configuration: { returnImmediately: true },
  });
  // Cut connections are no event of the task.
  expect(body.result.task).toMatchObject({ status: { state: 'TASK_STATE_WORKING' }, history: [{ messageId }] });
  expect(body.result.task.history).toHaveLength(1);

  await deployment().open('go');
  expect(await (await last).json()).toMatchObject({
    id: 1,
    result: {
      task: {
        id: body.result.task.id,
        status: { state: 'TASK_STATE_COMPLETED' },
        artifacts: [{ parts: [{ text: 'passed go' }] }],
      },
    },
  });
  expect(await deployment().calls({ event: 'run' })).toHaveLength(1);
});
