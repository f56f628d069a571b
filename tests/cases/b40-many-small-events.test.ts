/** A chunk per token: all of them arrive, and the history stays short. The soak tests have more of them. */
import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { sharedDeployment } from '../support/deployment.ts';
import { testServer } from '../support/environment.ts';
import { streamedText } from '../support/streamed-text.ts';

const deployment = sharedDeployment();

it('5,000 chunks at once arrive in order, in a few signals', async () => {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'chunks 5000 0' }] };
  await using stream = await deployment().stream('SendStreamingMessage', { message });
  const events = await stream.rest();
  const whole = Array.from({ length: 5_000 }, (_, index) => `<${index + 1}>`).join('');
  expect(streamedText(events)).toBe(whole);

  const id = events[0]?.data.result.task.id as string;
  const { artifacts } = await deployment().task(id);
  expect(artifacts).toEqual([expect.objectContaining({ parts: [{ text: whole, mediaType: 'text/plain' }] })]);
  const { workflow } = await testServer().client();
  const history = (await workflow.getHandle(id).fetchHistory()).events ?? [];
  const signals = history.filter((event) => event.workflowExecutionSignaledEventAttributes != null);
  expect(signals.length).toBeGreaterThan(0);
  expect(signals.length).toBeLessThan(50);
  expect(history.length).toBeLessThan(250);
});
