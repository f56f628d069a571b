/** A cancel stops the work, and whatever the work still does changes nothing. */
import { expect, it } from '@jest/globals';
import { raceCancelAgainstCompletion } from '../support/cancel-race.ts';
import { sharedDeployment } from '../support/deployment.ts';
import { eventually } from '../support/eventually.ts';
import type { RpcAnswer } from '../support/gateway.ts';
import { operatorOfTemporal, seen, startWatched, WATCHED } from '../support/watched-stages.ts';

const deployment = sharedDeployment({ ...WATCHED, gateways: 2 });

const cancel = (id: string, gateway = 0): Promise<RpcAnswer> => deployment().rpc('CancelTask', { id }, { gateway });

/** Reply, stream, both gateways and Temporal tell the same end, and it is the only one. */
async function expectCanceled(id: string, doCancel: () => Promise<RpcAnswer> = () => cancel(id)): Promise<void> {
  await using stream = await deployment().stream('SubscribeToTask', { id }, { gateway: 1 });
  const reply = (await doCancel()).body.result;
  expect(reply.status.state).toBe('TASK_STATE_CANCELED');
  const ends = (await stream.rest()).map(({ data }) => data.result.statusUpdate?.status).filter(Boolean);
  expect(ends.at(-1)).toEqual(reply.status);
  expect(ends.filter(({ state }) => state !== 'TASK_STATE_WORKING')).toHaveLength(1);
  for (const gateway of [0, 1]) expect(await deployment().task(id, { gateway })).toEqual(reply);
  expect(await (await operatorOfTemporal()).statusOf(id)).toBe('CANCELLED');
}

async function running(text: string): Promise<string> {
  const id = await startWatched(deployment(), text);
  await eventually(async () => (await seen(deployment(), `run ${text.split(' ')[1]}`)) > 0);
  return id;
}

it('stops a stage that works, also when two ask for it at once; a third comes too late', async () => {
  const id = await running('works c1');
  await expectCanceled(id, async () => {
    const [first, second] = await Promise.all([cancel(id, 0), cancel(id, 1)]);
    expect(second.body).toEqual(first.body);
    return first;
  });
  expect(await seen(deployment(), 'told c1')).toBe(1);
  expect(await seen(deployment(), 'returned c1')).toBe(0);
  expect((await cancel(id)).body.error.code).toBe(-32002);
});

it('does not wait for ever for a stage that takes no notice, and lets neither its end nor its progress count', async () => {
  const [stubborn, anyway] = await Promise.all([running('stubborn c2'), running('anyway c3')]);
  await Promise.all([expectCanceled(stubborn), expectCanceled(anyway)]);
  const ended = await Promise.all([stubborn, anyway].map((id) => deployment().task(id)));
  expect(await seen(deployment(), 'returned c2')).toBe(0);
  await deployment().open('c2');
  await eventually(async () => (await seen(deployment(), 'returned c2')) === 1);
  await eventually(async () => (await seen(deployment(), 'refused c3')) === 1);
  expect(await seen(deployment(), 'returned c3')).toBe(1);
  for (const task of ended) {
    expect(JSON.stringify(task)).not.toContain('after its end');
    expect(await deployment().task(task.id, { gateway: 1 })).toEqual(task);
  }
});

it('ends a question, and a wait for the next try, at once', async () => {
  const [asking, failing] = await Promise.all([startWatched(deployment(), 'asks c4'), running('fails c5')]);
  const { status } = await deployment().reaches(asking, 'TASK_STATE_INPUT_REQUIRED');
  const temporal = await operatorOfTemporal();
  await eventually(async () => {
    const [activity] = (await temporal.task(failing).describe()).raw.pendingActivities ?? [];
    return (activity?.attempt ?? 0) > 1 && activity?.lastStartedTime == null;
  });
  const tries = await seen(deployment(), 'run c5');
  await Promise.all([asking, failing].map((id) => expectCanceled(id)));
  expect(await seen(deployment(), 'run c5')).toBe(tries);
  const answer = { requestId: status.message?.metadata?.['requestId'], answer: 'red' };
  const late = await fetch(`${deployment().operatorUrl()}/api/a2a/input`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(answer),
  });
  expect(late.status).toBe(404);
});

it('at the very moment of completion has one outcome, which all tell', async () => {
  const ends = await raceCancelAgainstCompletion(deployment(), 25);
  expect(Object.values(ends).reduce((sum, count) => sum + count, 0)).toBe(25);
});

it('is kept while no worker is up: the stage never begins', async () => {
  await deployment().kill('worker0');
  const id = await startWatched(deployment(), 'works c6');
  expect((await cancel(id)).body.result.status.state).toBe('TASK_STATE_SUBMITTED');
  await deployment().restart('worker0');
  await deployment().reaches(id, 'TASK_STATE_CANCELED');
  expect(await seen(deployment(), 'run c6')).toBe(0);
}, 120_000);
