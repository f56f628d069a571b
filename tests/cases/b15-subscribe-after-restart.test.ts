/** A gateway that was killed knows nothing of its tasks' past, and streams them all the same. */
import { expect, it } from '@jest/globals';
import { sharedDeployment } from '../support/deployment.ts';
import type { EventStream, SseEvent } from '../support/gateway.ts';

const deployment = sharedDeployment();

it('a stream that is opened after a restart stays open to the end of a working and of a waiting task', async () => {
  const start = async (text: string): Promise<string> => {
    const { body } = await deployment().send(text, { configuration: { returnImmediately: true } });
    return body.result.task.id as string;
  };
  const [working, asking] = [await start('wait b15'), await start('ask')];
  await deployment().reaches(working, 'TASK_STATE_WORKING');
  await deployment().reaches(asking, 'TASK_STATE_INPUT_REQUIRED');
  await using cut = await deployment().stream('SubscribeToTask', { id: working });
  expect(await cut.next()).toBeDefined();

  await deployment().kill('gateway0');
  await expect(cut.rest()).rejects.toThrow();
  await deployment().restart('gateway0');

  await using ofWorking = await deployment().stream('SubscribeToTask', { id: working });
  expect((await ofWorking.next())?.data.result.task.status.state).toBe('TASK_STATE_WORKING');
  await using ofAsking = await deployment().stream('SubscribeToTask', { id: asking });
  const parked = (await ofAsking.next())?.data.result.task;
  expect(parked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  expect(parked.status.message.parts[0].text).toBe('What colour?');

  const [afterWork, afterAnswer] = [ofWorking.rest(), ofAsking.rest()];
  await staysOpen(afterWork, ofWorking);
  await staysOpen(afterAnswer, ofAsking);
  await deployment().open('b15');
  const answered = await deployment().send('blue', { message: { taskId: asking } });
  expect(answered.body.result.task.status.state).toBe('TASK_STATE_COMPLETED');

  for (const events of [await afterWork, await afterAnswer]) {
    expect(states(events).at(-1)).toBe('TASK_STATE_COMPLETED');
    expect(states(events).slice(0, -1)).not.toContain('TASK_STATE_COMPLETED');
  }
  expect(JSON.stringify(await afterAnswer)).toContain('blue');
});

/** It has not ended by the time that another request has come and gone. */
async function staysOpen(rest: Promise<SseEvent[]>, { response }: EventStream): Promise<void> {
  expect(response.status).toBe(200);
  let hasEnded = false;
  void rest.then(() => {
    hasEnded = true;
  });
  await deployment().rpc('GetTask', { id: 'stub-none' });
  expect(hasEnded).toBe(false);
}

function states(events: readonly SseEvent[]): unknown[] {
  return events.map(({ data }) => data.result.statusUpdate?.status.state).filter((state) => state !== undefined);
}
