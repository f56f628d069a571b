/** B21: notifications come in order and completely, whatever the webhook and the processes do. */
import { describe, expect, it } from '@jest/globals';
import type { Task, TaskPushNotificationConfig } from '../../src/domain/a2a.ts';
import { type Deployment, startDeployment } from '../support/deployment.ts';
import { eventually } from '../support/eventually.ts';
import { startWebhookSink, statesOf, type WebhookSink } from '../support/webhook-sink.ts';

const LIMIT_MS = 240_000;
const LIFE = ['SUBMITTED', 'WORKING', 'INPUT_REQUIRED', 'WORKING', 'COMPLETED'];

async function deploy(sink: WebhookSink, more = ''): Promise<Deployment> {
  return startDeployment({ settings: `push: { allow_hosts: ["${sink.host}"], first_retry: 200ms${more} }` });
}

async function ask(deployment: Deployment, sink: WebhookSink, config: object = {}): Promise<string> {
  const { body } = await deployment.send('ask', {
    configuration: { returnImmediately: true, taskPushNotificationConfig: { id: 'h', url: sink.url(), ...config } },
  });
  return (body.result as { task: Task }).task.id;
}

async function answer(deployment: Deployment, taskId: string): Promise<void> {
  await deployment.reaches(taskId, 'TASK_STATE_INPUT_REQUIRED');
  await deployment.send('blue', { message: { taskId }, configuration: { returnImmediately: true } });
}

describe('with processes that go on', () => {
  it(
    '(a) a webhook that is slow gets all in order, and (c) holds up nothing',
    async () => {
      await using sink = await startWebhookSink();
      await using deployment = await deploy(sink);
      const release = sink.hold();
      const taskId = await ask(deployment, sink);
      await answer(deployment, taskId);
      await deployment.reaches(taskId, 'TASK_STATE_COMPLETED');
      expect(sink.deliveries).toHaveLength(1);
      release();
      await sink.until((each) => each.states().includes('COMPLETED'));
      expect(sink.states()).toEqual(LIFE);
      expect(sink.deliveries[0]!.headers['content-type']).toBe('application/a2a+json');
      expect(sink.deliveries.map(({ body }) => Object.keys(body))).toEqual(
        sink.deliveries.map(() => [expect.any(String)]),
      );
      expect(sink.deliveries[0]!.body).toHaveProperty('task.id', taskId);
      const ids = sink.deliveries.map(({ headers }) => headers['x-notification-id']);
      expect(new Set(ids).size).toBe(ids.length);

      // (b) the next task's webhook fails twice.
      const before = sink.deliveries.length;
      sink.answer(500, 500, 200);
      const second = await ask(deployment, sink);
      await answer(deployment, second);
      await sink.until((each) => each.states().filter((state) => state === 'COMPLETED').length === 2);
      const later = sink.deliveries.slice(before);
      expect(later.slice(0, 3).map(({ status }) => status)).toEqual([500, 500, 200]);
      expect(later[1]!.headers['x-notification-id']).toBe(later[0]!.headers['x-notification-id']);
      expect(later[2]!.atMs - later[1]!.atMs).toBeGreaterThan(200);
      expect(sink.states().slice(LIFE.length)).toEqual(LIFE);

      // (f) deleted half-way, twice.
      const third = await ask(deployment, sink);
      await sink.until((each) => each.states().at(-1) === 'INPUT_REQUIRED');
      for (let times = 1; times <= 2; times += 1) {
        const { body } = await deployment.rpc('DeleteTaskPushNotificationConfig', { taskId: third, id: 'h' });
        expect(body.result).toEqual({});
      }
      const count = sink.deliveries.length;
      await answer(deployment, third);
      await deployment.reaches(third, 'TASK_STATE_COMPLETED');
      // What would come has come by the time at which a later task's notifications are through.
      const fourth = await ask(deployment, sink);
      await sink.until((each) => each.states().at(-1) === 'INPUT_REQUIRED' && each.deliveries.length > count);
      expect(sink.deliveries.slice(count).filter(({ body }) => JSON.stringify(body).includes(third))).toEqual([]);
      expect((await deployment.rpc('ListTaskPushNotificationConfigs', { taskId: third })).body.result).toEqual({
        configs: [],
        nextPageToken: '',
      });
      await deployment.rpc('CancelTask', { id: fourth });
      await sink.until((each) => each.states().at(-1) === 'CANCELED');
    },
    LIMIT_MS,
  );

  it(
    '(d) a webhook that is gone is parked, and goes on from there when an operator wants it',
    async () => {
      await using sink = await startWebhookSink();
      await using deployment = await deploy(sink, ', attempts: 3');
      sink.answer(500);
      const taskId = await ask(deployment, sink);
      const parked = () =>
        eventually(async () => {
          const { webhooks } = (await (await fetch(`${deployment.operatorUrl()}/api/push/parked`)).json()) as {
            webhooks: { taskId: string; configId: string; reason: string; failures: number; host: string }[];
          };
          return webhooks.find((each) => each.taskId === taskId);
        });
      expect(await parked()).toMatchObject({ configId: 'h', reason: 'HTTP 500', failures: 3, host: sink.host });
      expect(sink.deliveries).toHaveLength(3);

      sink.answer(410);
      const retry = (configId: string) =>
        fetch(`${deployment.operatorUrl()}/api/push/parked/retry`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ taskId, configId }),
        });
      expect((await retry('nobody')).status).toBe(404);
      expect((await retry('h')).status).toBe(202);
      await sink.until((each) => each.deliveries.length === 4);
      await eventually(async () => (await parked()).reason === 'HTTP 410');

      sink.answer(200);
      await answer(deployment, taskId);
      expect(sink.deliveries).toHaveLength(4);
      expect((await retry('h')).status).toBe(202);
      await sink.until((each) => each.states().includes('COMPLETED'));
      expect(sink.states()).toEqual(LIFE);
    },
    LIMIT_MS,
  );
});

describe('with everything restarted', () => {
  it(
    '(e) delivers what was registered before, and what happens after',
    async () => {
      await using sink = await startWebhookSink();
      await using deployment = await deploy(sink);
      const taskId = await ask(deployment, sink, {
        token: 't0k3n',
        authentication: { scheme: 'Bearer', credentials: 's3' },
      });
      await sink.until((each) => each.states().at(-1) === 'INPUT_REQUIRED');
      await deployment.kill('gateway0', 'worker0');
      await deployment.restart('gateway0');

      // With no worker the configurations are there, and take changes.
      const configs = async () =>
        (
          (await deployment.rpc('ListTaskPushNotificationConfigs', { taskId })).body.result as {
            configs: TaskPushNotificationConfig[];
          }
        ).configs;
      expect(await configs()).toEqual([
        {
          id: 'h',
          taskId,
          url: sink.url(),
          token: 't0k3n',
          authentication: { scheme: 'Bearer', credentials: 's3' },
        },
      ]);
      await deployment.rpc('CreateTaskPushNotificationConfig', { taskId, id: 'second', url: sink.url('/second') });
      expect((await configs()).map(({ id }) => id)).toEqual(['h', 'second']);

      await deployment.restart('worker0');
      await answer(deployment, taskId);
      const first = (each: WebhookSink) => each.deliveries.filter(({ path }) => path === '/hook');
      await sink.until((each) => first(each).some(({ body }) => JSON.stringify(body).includes('TASK_STATE_COMPLETED')));
      // What was not recorded before the kill is sent again: from one place on, and nothing is left out.
      const ids = first(sink).map(({ headers }) => String(headers['x-notification-id']));
      const order = [...new Set(ids)];
      const steps = ids.map((id, index) => order.indexOf(id) - order.indexOf(ids[index - 1] ?? ''));
      expect(steps.filter((step) => step !== 1).length).toBeLessThanOrEqual(1);
      const once = order.map((id) => first(sink).find(({ headers }) => headers['x-notification-id'] === id));
      expect(statesOf(once.flatMap((each) => each ?? []))).toEqual(LIFE);
      expect(first(sink).every(({ headers }) => headers.authorization === 'Bearer s3')).toBe(true);
      await sink.until((each) => each.deliveries.filter(({ path }) => path === '/second').length >= 3);
      const states = sink.deliveries.filter(({ path }) => path === '/second').map(({ body }) => JSON.stringify(body));
      expect(states[0]).toContain('TASK_STATE_INPUT_REQUIRED');
      expect(states.at(-1)).toContain('TASK_STATE_COMPLETED');
    },
    LIMIT_MS,
  );
});
