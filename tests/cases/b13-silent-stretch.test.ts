/** A stream on which nothing happens for longer than a proxy's patience. Times are scaled down. */
import { expect, it } from '@jest/globals';
import { parseSseStream } from '@a2a-js/sdk';
import { sharedDeployment } from '../support/deployment.ts';
import { testServer } from '../support/environment.ts';
import { message } from '../support/gateway.ts';
import { startImpatientProxy } from '../support/impatient-proxy.ts';

const deployment = sharedDeployment({ env: { A2A_STREAM_HEARTBEAT_MS: '300' } });

it('a stream lives through a silence behind a proxy, by comments that are no events and are stored nowhere', async () => {
  await using proxy = await startImpatientProxy(deployment().url(), 1_500);
  const post = (method: string): Promise<Response> =>
    fetch(`${proxy.url}/a2a`, {
      method: 'POST',
      headers: deployment().headers(),
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { message: message('sleep 4') } }),
    });
  // What says nothing meanwhile is cut: the proxy is as impatient as it should be.
  const [blocking, response] = await Promise.allSettled([post('SendMessage'), post('SendStreamingMessage')]);
  expect(blocking.status).toBe('rejected');
  if (response.status === 'rejected') throw response.reason;

  const text = await response.value.text();
  expect(proxy.cut).toBe(1);
  const blocks = text.split('\n\n').slice(0, -1);
  const comments = blocks.filter((block) => block.startsWith(':'));
  expect(comments.length).toBeGreaterThanOrEqual(3);
  expect(blocks.at(-1)).toContain('TASK_STATE_COMPLETED');

  const events: { task?: { id: string } }[] = [];
  for await (const { data } of parseSseStream(new Response(text))) {
    events.push((JSON.parse(data) as { result: { task?: { id: string } } }).result);
  }
  expect(events).toHaveLength(blocks.length - comments.length);
  const taskId = events[0]?.task?.id ?? '';
  const { workflow } = await testServer().client();
  const history = await workflow.getHandle(taskId).fetchHistory();
  expect(history.events?.filter((event) => event.workflowExecutionSignaledEventAttributes != null)).toEqual([]);
  expect(JSON.stringify(await deployment().task(taskId))).not.toContain('keep-alive');
});
