/** One message, posted by everyone at the same moment, to every gateway. */
import { expect, it } from '@jest/globals';
import type { Task } from '../../src/domain/a2a.ts';
import { sendTwentyAtOnce } from '../support/at-once.ts';
import { sharedDeployment } from '../support/deployment.ts';
import { message } from '../support/gateway.ts';

const deployment = sharedDeployment({ gateways: 2, workers: 2 });

it('twenty identical blocking sends over two gateways are one task, and each gets its end', async () => {
  for (const text of ['sleep 1', 'echo at once', 'sleep 0.1']) await sendTwentyAtOnce(deployment(), 2, text);
});

it('identical streaming and immediate sends beside blocking ones are the same task, too', async () => {
  const sent = message('sleep 1');
  const both = [0, 1];
  const [streams, immediate, blocking] = await Promise.all([
    Promise.all(both.map((gateway) => deployment().stream('SendStreamingMessage', { message: sent }, { gateway }))),
    Promise.all(
      both.map((gateway) =>
        deployment().send('sleep 1', { gateway, message: sent, configuration: { returnImmediately: true } }),
      ),
    ),
    Promise.all(both.map((gateway) => deployment().send('sleep 1', { gateway, message: sent }))),
  ]);
  const finished = blocking[0]?.body.result.task as Task;
  expect(finished.status.state).toBe('TASK_STATE_COMPLETED');
  expect(immediate.map(({ body }) => body.result.task.id)).toEqual([finished.id, finished.id]);
  for (const stream of streams) {
    const events = await stream.rest();
    expect(events[0]?.data.result.task.id).toBe(finished.id);
    expect(events.at(-1)?.data.result.statusUpdate.status).toEqual(finished.status);
  }
  expect(await deployment().calls({ messageId: sent.messageId, event: 'run' })).toHaveLength(1);
});
