import { expect, it } from '@jest/globals';
import { sharedDeployment } from '../support/deployment.ts';
import { testServer } from '../support/environment.ts';
import { streamedText } from '../support/streamed-text.ts';

const deployment = sharedDeployment();

// 60,000 chunks one by one would be more events than Temporal lets a workflow have.
it.each(['60000 0', '60000 1'])(
  'chunks %s: all arrive in order, and the history stays far from its limit',
  async (numbers) => {
    const text = `chunks ${numbers}`;
    const message = { messageId: text, role: 'ROLE_USER', parts: [{ text }] };
    await using stream = await deployment().stream('SendStreamingMessage', { message });
    const events = await stream.rest();
    const whole = Array.from({ length: 60_000 }, (_, index) => `<${index + 1}>`).join('');
    expect(streamedText(events) === whole).toBe(true);

    const id = events[0]?.data.result.task.id as string;
    const { artifacts = [] } = await deployment().task(id);
    expect(artifacts.flatMap(({ parts }) => parts).map((part) => part.text === whole)).toEqual([true]);
    const { workflow } = await testServer().client();
    const history = (await workflow.getHandle(id).fetchHistory()).events ?? [];
    expect(history.length).toBeLessThan(2_000);
  },
);
