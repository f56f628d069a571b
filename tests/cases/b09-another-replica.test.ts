/** What one gateway has begun, every other one shows, streams, continues and ends; also when the first is gone. */
import { expect, it } from '@jest/globals';
import type { Task } from '../../src/domain/a2a.ts';
import { sharedDeployment } from '../support/deployment.ts';
import { eventually } from '../support/eventually.ts';
import type { EventStream, SseEvent } from '../support/gateway.ts';
import { streamedText } from '../support/streamed-text.ts';

const deployment = sharedDeployment({ gateways: 3, workers: 2 });
const [FIRST, SECOND, THIRD] = [0, 1, 2] as const;
const now = { configuration: { returnImmediately: true } } as const;

async function start(text: string, message: Record<string, unknown> = {}): Promise<string> {
  return (await deployment().send(text, { ...now, gateway: FIRST, message })).body.result.task.id as string;
}

function stateOf(event: SseEvent | undefined): unknown {
  const { task, statusUpdate } = event?.data.result ?? {};
  return (task ?? statusUpdate)?.status.state;
}

it('a task is read and sent again elsewhere, and its files are loaded from there', async () => {
  const messageId = `b09-${deployment().taskQueue}`;
  const id = await start('big 200000', { messageId });
  const seen = await deployment().reaches(id, 'TASK_STATE_COMPLETED', { gateway: SECOND });
  for (const gateway of [FIRST, THIRD]) expect(await deployment().task(id, { gateway })).toEqual(seen);
  const again = await deployment().send('big 200000', { gateway: THIRD, message: { messageId } });
  expect(again.body.result.task).toEqual(seen);

  const [url = ''] = (seen.artifacts ?? []).flatMap(({ parts }) => parts.flatMap((part) => part.url ?? []));
  const { pathname } = new URL(url);
  const files = await Promise.all(
    [FIRST, SECOND, THIRD].map(async (gateway) => {
      const response = await fetch(`${deployment().url(gateway)}${pathname}`, { headers: deployment().headers() });
      return response.text();
    }),
  );
  expect(files.map(({ length }) => length)).toEqual([200_000, 200_000, 200_000]);
  expect(new Set(files).size).toBe(1);
});

it('a question is answered elsewhere, by its caller and by an operator, and who waits at the first gateway hears of it', async () => {
  const asked = await start('ask');
  await deployment().reaches(asked, 'TASK_STATE_INPUT_REQUIRED', { gateway: SECOND });
  await using watching = await deployment().stream('SubscribeToTask', { id: asked }, { gateway: FIRST });
  const answered = await deployment().send('blue', { gateway: SECOND, message: { taskId: asked } });
  expect(answered.body.result.task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(stateOf((await watching.rest()).at(-1))).toBe('TASK_STATE_COMPLETED');

  const messageId = `b09-asks-${deployment().taskQueue}`;
  const id = await start('confirm', { messageId });
  const blocking = deployment().send('confirm', { gateway: FIRST, message: { messageId } });
  const question = await eventually(async () => {
    const response = await fetch(`${deployment().operatorUrl(THIRD)}/api/pending`);
    const { questions } = (await response.json()) as { questions: { requestId: string; taskId: string }[] };
    return questions.find(({ taskId }) => taskId === id);
  });
  const input = (gateway: number, decision: string): Promise<Response> =>
    fetch(`${deployment().operatorUrl(gateway)}/api/a2a/input`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ requestId: question.requestId, answer: { kind: 'confirm', decision } }),
    });
  expect((await input(SECOND, 'accept')).status).toBe(200);
  expect((await input(THIRD, 'accept')).status).toBe(200); // the same again
  expect((await input(THIRD, 'reject')).status).toBe(404);
  expect((await blocking).body.result.task.artifacts[0].parts[0].text).toBe('accept');
});

it('a task is cancelled elsewhere, and every stream of it ends with that', async () => {
  const id = await start('wait for-ever');
  await deployment().reaches(id, 'TASK_STATE_WORKING');
  const streams = await Promise.all(
    [FIRST, SECOND, THIRD].map((gateway) => deployment().stream('SubscribeToTask', { id }, { gateway })),
  );
  const cancelled = await deployment().rpc('CancelTask', { id }, { gateway: SECOND });
  expect(cancelled.body.result.status.state).toBe('TASK_STATE_CANCELED');
  for (const stream of streams) expect(stateOf((await stream.rest()).at(-1))).toBe('TASK_STATE_CANCELED');
  expect(await deployment().task(id, { gateway: THIRD })).toEqual(cancelled.body.result);
});

it('when a gateway dies with streams open, each is taken up elsewhere exactly where it was, and blocking sends are sent again', async () => {
  const CHUNKS = 40;
  const whole = Array.from({ length: CHUNKS }, (_, index) => `<${index + 1}>`).join('');
  const messageId = `b09-dies-${deployment().taskQueue}`;
  const id = await start(`chunks ${CHUNKS} 150`, { messageId });
  await deployment().reaches(id, 'TASK_STATE_WORKING');
  const blocking = deployment().send(`chunks ${CHUNKS} 150`, { gateway: FIRST, message: { messageId } });
  const refused = expect(blocking).rejects.toThrow();

  const subscribe = (gateway: number, lastEventId?: string): Promise<EventStream> =>
    deployment().stream(
      'SubscribeToTask',
      { id },
      { gateway, headers: { ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }) } },
    );
  const untouched = (await subscribe(SECOND)).rest();
  /** Until the connection is gone. */
  const readOn = async (): Promise<SseEvent[]> => {
    await using stream = await subscribe(FIRST);
    const events: SseEvent[] = [];
    try {
      for (let event = await stream.next(); event !== undefined; event = await stream.next()) events.push(event);
    } catch {
      return events;
    }
    throw new Error('The stream has ended, and was to be cut');
  };
  const cut = [readOn(), readOn(), readOn()];
  await eventually(async () => streamedText([taskEvent(await deployment().task(id, { gateway: SECOND }))]).length > 30);
  await deployment().kill('gateway0');
  await refused;

  const all = await untouched;
  expect(streamedText(all)).toBe(whole);
  for (const [index, before] of (await Promise.all(cut)).entries()) {
    expect(before.length).toBeGreaterThan(1);
    const after = await (await subscribe(index % 2 === 0 ? SECOND : THIRD, before.at(-1)?.id)).rest();
    const [{ id: cursor } = {}] = before.slice(-1);
    expect(after).toEqual(all.slice(all.findIndex((event) => event.id === cursor) + 1));
    expect(streamedText([...before, ...after])).toBe(whole);
  }
  const again = await deployment().send(`chunks ${CHUNKS} 150`, { gateway: THIRD, message: { messageId } });
  expect(again.body.result.task).toEqual(await deployment().task(id, { gateway: SECOND }));
  expect(await deployment().calls({ messageId, event: 'run' })).toHaveLength(1);
  await deployment().restart('gateway0');
  expect(await deployment().task(id)).toEqual(again.body.result.task);
});

function taskEvent(task: Task): SseEvent {
  return { data: { result: { task } } };
}
