/** A client that crashed before it knew its task sends the message again. */
import { expect, it } from '@jest/globals';
import type { Task } from '../../src/domain/a2a.ts';
import { sharedDeployment } from '../support/deployment.ts';
import { testServer } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';

const deployment = sharedDeployment();

it('a message sent again after its task has ended is answered with that task, also by new processes, and runs nothing', async () => {
  const request = { message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'echo a' }] } };
  const send = async (): Promise<Task> => {
    const { status, body } = await deployment().rpc('SendMessage', request);
    expect(status).toBe(200);
    return body.result.task as Task;
  };

  const first = await send();
  expect(first.status.state).toBe('TASK_STATE_COMPLETED');
  expect(first.artifacts).toEqual([expect.objectContaining({ parts: [expect.objectContaining({ text: 'a' })] })]);
  expect(await send()).toEqual(first);
  await deployment().kill('gateway0', 'worker0');
  await deployment().restart('gateway0', 'worker0');
  expect(await send()).toEqual(first);
  expect(await send()).toEqual(first);

  expect(await deployment().calls({ event: 'run' })).toHaveLength(1);
  expect(await eventually(() => countRuns(first.id))).toBe(1);
});

/** Runs of the workflow with this ID, closed ones too, as soon as Temporal lists any. */
async function countRuns(workflowId: string): Promise<number | undefined> {
  const { workflow } = await testServer().client();
  const { count } = await workflow.count(`WorkflowId = "${workflowId}"`);
  return count === 0 ? undefined : count;
}
