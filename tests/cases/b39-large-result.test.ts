/** Results of every size: exact, made once, and no event that a client of the SDK could not take (4 MiB). */
import { expect, it } from '@jest/globals';
import type { Task } from '../../src/domain/a2a.ts';
import { sharedDeployment } from '../support/deployment.ts';
import { testServer } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import type { EventStream } from '../support/gateway.ts';

const deployment = sharedDeployment({ settings: 'limits: { body_bytes: 8388608 }' });

const FRAME_BYTES_MAX = 4 * 1024 * 1024;
/** Said to be two seconds; more on a busy machine. */
const READ_WITHIN_MS = 8_000;

/** What the stub executor writes. */
function letters(bytes: number): string {
  const line = Array.from({ length: 1000 }, (_, index) => `${index}`.padStart(9, '.')).join('');
  return line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
}

/** Sends, streams to the end, and reads: every event can be taken, and the executor has run once. */
async function streamToEnd(text: string): Promise<Task> {
  const params = { message: { messageId: text, role: 'ROLE_USER', parts: [{ text }] } };
  await using stream = await deployment().stream('SendStreamingMessage', params);
  const id = await checkFrames(stream);
  const begunAt = performance.now();
  const task = await deployment().task(id);
  expect(performance.now() - begunAt).toBeLessThan(READ_WITHIN_MS);
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(await deployment().calls({ event: 'run', messageId: text })).toHaveLength(1);
  return task;
}

/** Reads to the end, or to the first question; answers the task's ID. */
async function checkFrames(stream: EventStream): Promise<string> {
  let id = '';
  for (let event = await stream.next(); event !== undefined; event = await stream.next()) {
    expect(Buffer.byteLength(JSON.stringify(event.data))).toBeLessThan(FRAME_BYTES_MAX);
    id ||= (event.data.result.task?.id as string | undefined) ?? '';
  }
  return id;
}

async function download({ artifacts = [] }: Task, artifact: number): Promise<string> {
  const { url = '' } = artifacts[artifact]?.parts[0] ?? {};
  const response = await fetch(url, { headers: deployment().headers() });
  expect(response.status).toBe(200);
  return response.text();
}

it.each([3_000_000, 20_000_000])('a file of %d bytes is downloaded as it was written', async (bytes) => {
  const task = await streamToEnd(`big ${bytes}`);
  expect((await download(task, 0)) === letters(bytes)).toBe(true);
});

it('an answer of 5 MB is a file, too', async () => {
  expect((await download(await streamToEnd('long 5000000'), 0)) === letters(5_000_000)).toBe(true);
});

it('and so is a payload of 5 MB', async () => {
  const task = await streamToEnd('payload 5000000');
  const result = task.artifacts?.findIndex(({ artifactId }) => artifactId === 'result') ?? -1;
  expect((await download(task, result)) === JSON.stringify({ letters: letters(5_000_000) })).toBe(true);
});

it('40 files of 100 KB are all there', async () => {
  const task = await streamToEnd('files 40 100000');
  const names = task.artifacts?.map(({ name }) => name);
  expect(names).toEqual([...Array.from({ length: 40 }, (_, index) => `file-${index + 1}.txt`), 'answer']);
  for (const artifact of [0, 39]) expect((await download(task, artifact)) === letters(100_000)).toBe(true);
});

it('a task of 30 turns of 30 KB keeps every word, each said once', async () => {
  let task = (await deployment().send('turns 30')).body.result.task as Task;
  const said: string[] = [];
  for (let turn = 1; task.status.state === 'TASK_STATE_INPUT_REQUIRED'; turn += 1) {
    said.push(`${turn} ${letters(30_000)}`);
    task = (await deployment().send(said.at(-1) ?? '', { message: { taskId: task.id } })).body.result.task as Task;
  }
  expect(task.status).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
  expect(said).toHaveLength(30);
  const { history = [] } = await deployment().task(task.id);
  const answers = history.filter(({ role }) => role === 'ROLE_USER').slice(1);
  expect(answers.map(({ parts }) => parts[0]?.text)).toEqual(said);
});

it('a snapshot that is larger than an event may be is told in several', async () => {
  const parts = [{ text: 'ask' }, { text: '.'.repeat(4_500_000) }];
  const params = { message: { messageId: 'large question', role: 'ROLE_USER', parts } };
  await using asking = await deployment().stream('SendStreamingMessage', params);
  const id = await checkFrames(asking);
  await using subscribed = await deployment().stream('SubscribeToTask', { id });
  await deployment().send('blue', { message: { taskId: id }, configuration: { returnImmediately: true } });
  expect(await checkFrames(subscribed)).toBe(id);
  expect((await deployment().task(id)).status.state).toBe('TASK_STATE_COMPLETED');
});

it('and nothing of all that is left running', async () => {
  const { workflow } = await testServer().client();
  const running = `TaskQueue = "${deployment().taskQueue}" AND ExecutionStatus = "Running"`;
  await eventually(async () => (await workflow.count(running)).count === 0);
});
