/** B19 and B20 on real processes: where notifications may go, and what goes with them. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { expect, it } from '@jest/globals';
import type { Task } from '../../src/domain/a2a.ts';
import { startDeployment } from '../support/deployment.ts';
import { testServer } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { startWebhookSink } from '../support/webhook-sink.ts';

const LIMIT_MS = 240_000;

it(
  'leads nowhere inside, follows no redirect there, and keeps its secrets',
  async () => {
    await using sink = await startWebhookSink();
    const redirecting = createServer((_request, response) => {
      response.writeHead(302, { Location: sink.url('/redirected') }).end();
    });
    redirecting.listen(0, '127.0.0.1');
    await once(redirecting, 'listening');
    const { port } = redirecting.address() as AddressInfo;
    await using deployment = await startDeployment({
      settings: `push: { allow_hosts: ["${sink.host}", "127.0.0.1:${port}"], first_retry: 100ms, attempts: 2 }`,
    });
    const send = async (config: object) =>
      deployment.send('echo hello', { configuration: { taskPushNotificationConfig: config } });

    const refused = await send({ url: `http://127.0.0.1:${sink.port + 1}/` });
    expect(refused.body.error.code).toBe(-32602);

    const secrets = { token: 't0k3n-7', authentication: { scheme: 'Bearer', credentials: 's3cret-7' } };
    const { task } = (await send({ id: 'h', url: sink.url('/T0P-7'), ...secrets })).body.result as { task: Task };
    await sink.until((each) => each.states().includes('COMPLETED'));
    for (const { path, headers } of sink.deliveries) {
      expect(path).toBe('/T0P-7');
      expect(headers).toMatchObject({ authorization: 'Bearer s3cret-7', 'x-a2a-notification-token': 't0k3n-7' });
    }
    const count = sink.deliveries.length;
    await deployment.rpc('CreateTaskPushNotificationConfig', {
      taskId: task.id,
      id: 'r',
      url: `http://127.0.0.1:${port}/`,
    });
    const parked = await eventually(async () => {
      const { webhooks } = (await (await fetch(`${deployment.operatorUrl()}/api/push/parked`)).json()) as {
        webhooks: { taskId: string; configId: string; reason: string }[];
      };
      return webhooks.find((each) => each.taskId === task.id);
    });
    expect(parked).toMatchObject({ configId: 'r', reason: 'HTTP 302: redirects are not followed' });
    expect(sink.deliveries).toHaveLength(count);

    // Nobody else's to see, and nowhere to be read.
    const asBob = await deployment.rpc('ListTaskPushNotificationConfigs', { taskId: task.id }, { as: 'bob' });
    expect(asBob.body.error.code).toBe(-32001);
    const handle = (await testServer().client()).workflow.getHandle(`push-${task.id}`);
    const readable = JSON.stringify(JSON.parse(historyToJSON(await handle.fetchHistory())), (key, value: unknown) =>
      key === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString('latin1') : value,
    );
    expect(readable).toContain(sink.host);
    expect(readable).not.toMatch(/T0P-7|t0k3n-7|s3cret-7/);
    redirecting.close().closeAllConnections();
  },
  LIMIT_MS,
);
