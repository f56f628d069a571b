/** A process that is asked to stop takes nothing with it: no stage, no stream, no task's state. */
import { expect, it } from '@jest/globals';
import { sharedDeployment } from '../support/deployment.ts';
import { testServer } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import type { EventStream, SseEvent } from '../support/gateway.ts';

const deployment = sharedDeployment({
  gateways: 2,
  workers: 2,
  // So long that a stage which had to be missed would not be seen again within this test.
  env: { LONGHAUL_HEARTBEAT_TIMEOUT_MS: '600000' },
});
const now = { configuration: { returnImmediately: true } } as const;

it('a worker hands its stages over and a gateway its streams, and the task ends as if nothing had been', async () => {
  const message = { messageId: `b11-${deployment().taskQueue}` };
  const { body } = await deployment().send('wait b11', { ...now, message });
  const { id } = body.result.task as { id: string };
  const [run] = await eventually(async () => {
    const runs = await deployment().calls({ event: 'run', text: 'wait b11' });
    return runs.length > 0 && runs;
  });
  const name = deployment().pidOf('worker0') === run?.pid ? 'worker0' : 'worker1';
  await using stream = await deployment().stream('SubscribeToTask', { id });
  const blocking = deployment().send('wait b11', { message });

  expect(await deployment().stop(name)).toEqual([{ code: 0, signal: null }]);
  await eventually(async () => (await deployment().calls({ event: 'run', text: 'wait b11' })).length === 2);
  const [, second] = await deployment().calls({ event: 'run', text: 'wait b11' });
  expect(second?.pid).not.toBe(run?.pid);
  expect((await deployment().task(id)).status.state).toBe('TASK_STATE_WORKING');

  const rest = stream.rest();
  expect(await deployment().stop('gateway0')).toEqual([{ code: 0, signal: null }]);
  const before = await rest; // throws unless the stream was ended between two events
  expect(statesOf(before)).not.toEqual(expect.arrayContaining([expect.stringMatching(/CANCELED|COMPLETED|FAILED/)]));
  // A wait that the gateway could not see to its end is answered with the task as it stands.
  expect((await blocking).body.result.task).toMatchObject({ id, status: { state: 'TASK_STATE_WORKING' } });

  const lastEventId = before.at(-1)?.id ?? '';
  await using resumed = await subscribe(id, { 'Last-Event-ID': lastEventId });
  await using fresh = await subscribe(id);
  await deployment().open('b11');
  expect(statesOf(await resumed.rest()).at(-1)).toBe('TASK_STATE_COMPLETED');
  expect(statesOf(await fresh.rest()).at(-1)).toBe('TASK_STATE_COMPLETED');
  expect(await deployment().task(id, { gateway: 1 })).toMatchObject({
    artifacts: [{ parts: [{ text: 'passed b11' }] }],
  });
  expect(await deployment().calls({ event: 'returned', text: 'wait b11' })).toHaveLength(1);

  const { workflow } = await testServer().client();
  const { events = [] } = await workflow.getHandle(id).fetchHistory();
  expect(events?.filter((event) => event.workflowExecutionCancelRequestedEventAttributes != null)).toEqual([]);
  await deployment().restart(name, 'gateway0');
}, 120_000);

it('what an executor returns when it is told to stop is not the answer', async () => {
  const CHUNKS = 90;
  const { body } = await deployment().send(`hasty ${CHUNKS}`, now);
  const { id } = body.result.task as { id: string };
  await using stream = await subscribe(id);
  const rest = stream.rest();
  const [run] = await eventually(async () => {
    const { artifacts = [] } = await deployment().task(id);
    return artifacts.length > 0 && deployment().calls({ event: 'run', text: `hasty ${CHUNKS}` });
  });
  const name = deployment().pidOf('worker0') === run?.pid ? 'worker0' : 'worker1';
  await deployment().stop(name);
  const task = await deployment().reaches(id, 'TASK_STATE_COMPLETED', { gateway: 1 });
  const whole = Array.from({ length: CHUNKS }, (_, index) => `<${index + 1}>`).join('');
  expect(task.artifacts).toMatchObject([{ parts: [{ text: whole }] }]);
  expect(statesOf(await rest).slice(0, -1)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/CANCELED|COMPLETED|FAILED/)]),
  );
  await deployment().restart(name);
}, 120_000);

function subscribe(id: string, headers: Record<string, string> = {}): Promise<EventStream> {
  return deployment().stream('SubscribeToTask', { id }, { gateway: 1, headers });
}

function statesOf(events: readonly SseEvent[]): unknown[] {
  return events.map(({ data }) => (data.result.task ?? data.result.statusUpdate)?.status.state);
}
