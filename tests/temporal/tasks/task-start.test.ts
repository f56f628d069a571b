import { expect, it } from '@jest/globals';
import { Client } from '@temporalio/client';
import { findFreePort } from '../../../src/temporal/server/free-port.ts';
import { connectTemporal } from '../../../src/temporal/connection.ts';
import { startOwnServer, testServer } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { collect, createTaskRig, followToEnd, startMemoOf, startTask, taskInput } from './task-rig.ts';

const done = async () => ({ outcome: 'envelope', envelope: { summary: 'done', artifacts: [] } }) as const;

it('starts a task once, and answers a second start with what the first one wrote', async () => {
  await using rig = await createTaskRig();
  const input = taskInput();
  const first = startMemoOf(input);
  const second = { ...first, messageId: 'another', contentHash: 'e'.repeat(64) };

  expect(await rig.tasks.start(input, first)).toEqual({ isNew: true, memo: first });
  expect(await rig.tasks.start(input, second)).toEqual({ isNew: false, memo: first });
  // Another process has nothing in its cache.
  expect(await rig.createTasks().start(input, second)).toEqual({ isNew: false, memo: first });
});

it('does not start a task again that has ended', async () => {
  await using rig = await createTaskRig();
  await using _worker = await rig.startWorker(done);
  const input = taskInput();
  const memo = startMemoOf(input);
  await followToEnd(rig.tasks, await startTask(rig.tasks, input));

  expect(await rig.createTasks().start(input, { ...memo, messageId: 'again' })).toEqual({ isNew: false, memo });
});

it('lets one of several simultaneous starts be the new one', async () => {
  await using rig = await createTaskRig();
  const input = taskInput();
  const memo = startMemoOf(input);

  const started = await Promise.all(Array.from({ length: 6 }, () => rig.createTasks().start(input, memo)));

  expect(started.filter(({ isNew }) => isNew)).toHaveLength(1);
});

it('starts over the native connection of a worker when it is given one', async () => {
  await using rig = await createTaskRig();
  const server = testServer();
  const tasks = rig.createTasks({
    eagerStartClient: new Client({
      connection: await server.nativeConnection(),
      namespace: server.namespace,
      dataConverter: rig.dataConverter,
    }),
  });
  const input = taskInput({ text: 'x'.repeat(100_000) });
  const memo = startMemoOf(input);

  expect(await tasks.start(input, memo)).toEqual({ isNew: true, memo });
  expect(await tasks.start(input, memo)).toEqual({ isNew: false, memo });
  expect((await rig.tasks.read(input.taskId)).task.history[0]!.parts).toEqual(input.message.parts);
});

it('describes the task to the operators of Temporal', async () => {
  await using rig = await createTaskRig();
  const input = taskInput({ text: 'Look *here*:\n[click](http://example.test) now' });
  await startTask(rig.tasks, input);

  const description = await rig.client.workflow.getHandle(input.taskId).describe();

  expect(await description.staticSummary()).toBe('Echo: Look \\*here\\*: \\[click\\](http://example.test) now');
  expect(description.memo).toEqual({
    start: startMemoOf(input),
    status: { state: 'TASK_STATE_SUBMITTED', timestamp: input.submittedAt },
  });
  expect(description.priority?.fairnessKey).toBe('analyst');
  expect(
    Object.fromEntries(description.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value])),
  ).toMatchObject({
    A2aCaller: 'analyst',
    A2aPublication: 'echo',
    A2aContext: expect.stringMatching(/^[0-9a-f]{64}$/),
    A2aState: 'TASK_STATE_SUBMITTED',
    A2aOpenQuestions: 0,
  });
});

it('says who started a task, and of an unknown one not for ever that it is unknown', async () => {
  await using rig = await createTaskRig();
  const input = taskInput();

  expect(await rig.tasks.startMemo(input.taskId)).toBeUndefined();
  await startTask(rig.createTasks(), input);
  expect(await rig.tasks.startMemo(input.taskId)).toEqual(startMemoOf(input));
});

it.each(['', 'x'.repeat(2_000), 'with space', 'line\nbreak', '\ud800', 'ünïcode'])(
  'takes %j for no task, without asking Temporal in vain',
  async (taskId) => {
    await using rig = await createTaskRig();
    expect(await rig.tasks.startMemo(taskId)).toBeUndefined();
    await expect(rig.tasks.read(taskId)).rejects.toMatchObject({ kind: 'task-not-found' });
    await expect(rig.tasks.start({ ...taskInput(), taskId }, startMemoOf(taskInput()))).rejects.toMatchObject({
      kind: 'invalid-request',
    });
  },
);

it('takes workflows of other types for no tasks', async () => {
  await using rig = await createTaskRig();
  const { taskId } = taskInput();
  await rig.client.workflow.start('claimWorkflow', {
    workflowId: taskId,
    taskQueue: rig.taskQueue,
    memo: { start: startMemoOf(taskInput()) },
  });

  expect(await rig.tasks.startMemo(taskId)).toBeUndefined();
  await expect(rig.tasks.read(taskId)).rejects.toMatchObject({ kind: 'task-not-found' });
  await expect(rig.tasks.requestCancel(taskId)).rejects.toMatchObject({ kind: 'task-not-found' });
});

it('fails as unavailable, without a word of addresses, while Temporal is away', async () => {
  const address = `127.0.0.1:${await findFreePort()}`;
  await using rig = await createTaskRig();
  const connection = await connectTemporal({ address, lazy: true });
  const tasks = rig.createTasks({
    connection,
    temporalClient: new Client({ connection, namespace: testServer().namespace }),
    callTimeoutMs: 500,
  });
  const input = taskInput();
  const unavailable = { kind: 'unavailable', message: expect.not.stringContaining(address) };

  await expect(tasks.start(input, startMemoOf(input))).rejects.toMatchObject(unavailable);
  await expect(tasks.startMemo(input.taskId)).rejects.toMatchObject(unavailable);
  await expect(tasks.read(input.taskId)).rejects.toMatchObject(unavailable);
  await expect(tasks.listOpenQuestions()).rejects.toMatchObject(unavailable);
  const { signal } = new AbortController();
  await expect(collect(tasks.follow(input.taskId, { signal }))).rejects.toMatchObject(unavailable);
  expect(await tasks.health()).toEqual({ isTemporalUp: false, workers: 0 });
  await connection.close();
});

it('fails as unavailable in time over a native connection whose server has gone', async () => {
  await using server = await startOwnServer();
  await using rig = await createTaskRig(server);
  const tasks = rig.createTasks({ eagerStartClient: await rig.nativeClient(), callTimeoutMs: 500 });
  server.kill();
  const input = taskInput();

  await expect(tasks.start(input, startMemoOf(input))).rejects.toMatchObject({ kind: 'unavailable' });

  // Given up is not undone: whether the start came through or not, the same again gives the one task.
  await server.restart();
  const { memo } = await eventually(() => rig.tasks.start(input, startMemoOf(input)));
  expect(memo).toEqual(startMemoOf(input));
});
