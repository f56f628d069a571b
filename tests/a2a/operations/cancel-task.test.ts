import { describe, expect, it } from '@jest/globals';
import { rpc, send } from '../../support/gateway.ts';
import { sharedGateway } from '../../support/shared-gateway.ts';

describe('CancelTask', () => {
  const gateway = sharedGateway();
  const cancel = (id: string) => rpc(gateway().url, 'CancelTask', { id });
  const begin = async (text: string): Promise<string> =>
    (await send(gateway(), text, { configuration: { returnImmediately: true } })).body.result.task.id as string;

  it.each(['hold', 'ask'])('answers with the canceled task that was at %j, and once only', async (text) => {
    const id = await begin(text);
    expect((await cancel(id)).body.result).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
    expect((await cancel(id)).body.error).toMatchObject({ code: -32002, data: [{ reason: 'TASK_NOT_CANCELABLE' }] });
  });

  it('is refused by a task that has ended', async () => {
    expect((await cancel(await begin('echo a'))).body.error.code).toBe(-32002);
  });

  it('is refused by a task that completes in the race', async () => {
    const id = await begin('stubborn');
    const { tasks } = gateway();
    const requestCancel = tasks.requestCancel.bind(tasks);
    tasks.requestCancel = async (taskId) => tasks.complete(taskId, 'done first');
    expect((await cancel(id)).body.error.code).toBe(-32002);
    tasks.requestCancel = requestCancel;
  });

  it('tells how the task stands when no worker is there to stop it', async () => {
    const id = await begin('stubborn');
    gateway().tasks.workers = 0;
    expect((await cancel(id)).body.result.status.state).toBe('TASK_STATE_WORKING');
    gateway().tasks.workers = 1;
  });
});
