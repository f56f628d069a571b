/** No worker, and then no Temporal: what is answered meanwhile, and that all heals by itself. */
import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { type Deployment, startDeployment } from '../support/deployment.ts';
import { startOwnServer } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import type { RpcAnswer } from '../support/gateway.ts';

/** The design says 5 s; a busy machine may be slower. A hang would be 29 s and more. */
const BOUND_MS = 10_000;

it('without workers tasks are taken and read, without Temporal every call is refused as one to repeat, and both heal', async () => {
  await using temporal = await startOwnServer();
  await using deployment = await startDeployment({ temporal });
  const send = (text: string, fields = {}, configuration = {}): Promise<RpcAnswer> =>
    inTime(() => deployment.send(text, { message: fields, configuration }));
  const start = async (text: string): Promise<string> =>
    (await send(text, {}, { returnImmediately: true })).body.result.task.id as string;

  const ended = (await send('echo done')).body.result.task;
  const [running, asking] = [await start('wait b12'), await start('ask')];
  await deployment.reaches(running, 'TASK_STATE_WORKING');
  await deployment.reaches(asking, 'TASK_STATE_INPUT_REQUIRED');
  expect(await readiness(deployment)).toMatchObject({ status: 200, body: { status: 'ready', workers: 1 } });
  await using watched = await deployment.stream('SubscribeToTask', { id: running });

  // (a) No worker.
  await deployment.kill('worker0');
  expect(await inTime(() => deployment.task(ended.id))).toEqual(ended);
  expect((await inTime(() => deployment.task(running))).status.state).toBe('TASK_STATE_WORKING');
  // A killed poller is counted for a while, so only that the gateway itself is ready.
  expect(await readiness(deployment)).toMatchObject({ status: 200, body: { temporal: 'up' } });
  const submitted = await start('echo later');
  const [blocking, answered] = await Promise.all([send('echo blocking'), send('blue', { taskId: asking })]);
  expect(blocking.body.result.task.status.state).toBe('TASK_STATE_SUBMITTED');
  expect(answered.body.result.task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');

  await deployment.restart('worker0');
  for (const id of [submitted, blocking.body.result.task.id as string, asking]) {
    await deployment.reaches(id, 'TASK_STATE_COMPLETED');
  }
  expect(await deployment.calls({ event: 'heard', text: 'blue' })).toHaveLength(1);
  await eventually(async () => (await deployment.calls({ event: 'run', text: 'wait b12' })).length === 2);

  // (b) No Temporal.
  temporal.kill();
  await eventually(async () => (await readiness(deployment)).status === 503);
  const lost = { messageId: randomUUID() };
  const others = Promise.all(
    [`${deployment.url()}/a2a/artifacts/stub-never-seen/x`, `${deployment.operatorUrl()}/api/pending`].map(
      async (url) => (await inTime(() => fetch(url, { headers: deployment.headers() }))).status,
    ),
  );
  const refused = await Promise.all([
    send('echo lost', lost),
    send('echo also lost', { messageId: randomUUID() }, { returnImmediately: true }),
    send('more', { taskId: asking }),
    ...['GetTask', 'CancelTask', 'SubscribeToTask'].flatMap((method) =>
      // What this gateway has seen, what it follows, and what it has not.
      [asking, ended.id, running, 'stub-never-seen'].map((id: string) => inTime(() => deployment.rpc(method, { id }))),
    ),
    inTime(() =>
      deployment.rpc('SendStreamingMessage', {
        message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'echo streamed' }] },
      }),
    ),
  ]);
  for (const { status, headers, body } of refused) {
    expect({ status, retryAfter: headers.get('Retry-After'), code: body.error.code }).toEqual({
      status: 503,
      retryAfter: expect.stringMatching(/^\d+$/),
      code: -32000,
    });
    expect(body.error.data[0]).toMatchObject({ reason: 'UNAVAILABLE' });
  }
  expect(await others).toEqual([503, 503]);
  expect((await fetch(`${deployment.operatorUrl()}/livez`)).status).toBe(200);

  // (c) Back again: nothing of ours is restarted.
  await temporal.restart();
  const once = await eventually(
    async () => {
      const { status, body } = await deployment.send('echo lost', { message: lost });
      return status === 200 && body.result.task;
    },
    { timeoutMs: 60_000 },
  );
  await deployment.reaches(once.id, 'TASK_STATE_COMPLETED');
  expect((await deployment.send('echo lost', { message: lost })).body.result.task.id).toBe(once.id);
  expect(await deployment.calls({ event: 'returned', text: 'echo lost' })).toHaveLength(1);
  await deployment.open('b12');
  await deployment.reaches(running, 'TASK_STATE_COMPLETED');
  const seen = await watched.rest();
  expect(seen.at(-1)?.data.result.statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
}, 180_000);

async function inTime<T>(call: () => Promise<T>): Promise<T> {
  const begunAt = performance.now();
  const result = await call();
  expect(performance.now() - begunAt).toBeLessThan(BOUND_MS);
  return result;
}

async function readiness(deployment: Deployment): Promise<{ status: number; body: unknown }> {
  const response = await inTime(() => fetch(`${deployment.operatorUrl()}/readyz`));
  return { status: response.status, body: await response.json() };
}
