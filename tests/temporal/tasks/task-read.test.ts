import { expect, it } from '@jest/globals';
import type { StageScript, TaskRig } from './task-rig.ts';
import {
  chain,
  chunk,
  createTaskRig,
  followToEnd,
  says,
  stage,
  startTask,
  taskInput,
  textMessage,
} from './task-rig.ts';
import { eventually } from '../../support/eventually.ts';

const work: StageScript = async ({ run, progress }) => {
  await progress(says(`at work on ${run.stage.id}`), chunk('one '), chunk('two'));
  return { outcome: 'envelope', envelope: { summary: run.stage.id, artifacts: [] } };
};

const ask: StageScript = async ({ run, progress }) => {
  await progress(says('thinking'));
  return Object.keys(run.answers).length === 0
    ? { outcome: 'ask', ask: { id: 'years', kind: 'free_text', message: 'Which years?' } }
    : { outcome: 'envelope', envelope: { summary: JSON.stringify(run.answers), artifacts: [] } };
};

const untilAsked = (rig: TaskRig, taskId: string) =>
  eventually(async () => {
    const view = await rig.tasks.read(taskId);
    return view.questions.length > 0 ? view : undefined;
  });

it('reads a task that no worker has ever seen', async () => {
  await using rig = await createTaskRig();
  const input = taskInput({ text: 'hello' });
  const { task } = await rig.tasks.read(await startTask(rig.tasks, input));
  expect(task).toMatchObject({
    id: input.taskId,
    contextId: input.contextId,
    status: { state: 'TASK_STATE_SUBMITTED', timestamp: input.submittedAt },
    history: [{ messageId: input.message.messageId, parts: [{ text: 'hello' }] }],
  });
});

it('reads from history exactly what the workflow answers', async () => {
  await using rig = await createTaskRig();
  const worker = await rig.startWorker(ask);
  const taskId = await startTask(rig.tasks, taskInput());
  const asked = await untilAsked(rig, taskId);
  await rig.tasks.sendMessage(taskId, {
    ...textMessage(''),
    requestId: 'stale',
    answer: { kind: 'free_text', text: 'x' },
  } as never);
  const answered = await eventually(async () => {
    const view = await rig.tasks.read(taskId);
    return Object.keys(view.receipts).length > 0 ? view : undefined;
  });
  await worker[Symbol.asyncDispose]();

  expect(await rig.createTasks().read(taskId)).toEqual(answered);
  expect(answered.questions).toEqual(asked.questions);
});

it('tells the same as the workflow after a storm of progress, messages and answers', async () => {
  await using rig = await createTaskRig();
  const elements = Array.from({ length: 8 }, (_, index) => index);
  const worker = await rig.startWorker(async (stage) => {
    const { run, progress } = stage;
    if (run.stage.id === 'ask') return ask(stage);
    if (run.stage.id === 'list')
      return { outcome: 'envelope', envelope: { summary: '', payload: elements, artifacts: [] } };
    for (let round = 0; round < 8; round++) await progress(says(`${run.element} ${round}`), chunk(`${run.element}`));
    return { outcome: 'envelope', envelope: { summary: `${run.element}`, artifacts: [] } };
  });
  const stages = [
    stage('list'),
    stage('gather', { needs: ['list'], forEach: '/list/payload', followUps: true }),
    stage('ask', { needs: ['gather'] }),
  ];
  const taskId = await startTask(rig.tasks, taskInput({ stages, historyEventsMax: 60 }));
  const messages = elements.map((index) => textMessage(`message ${index}`, `m${index}`));
  for (const message of messages) await Promise.all([1, 2].map(() => rig.tasks.sendMessage(taskId, message)));
  const view = await untilAsked(rig, taskId);
  await worker[Symbol.asyncDispose]();

  expect(Object.keys(view.receipts)).toHaveLength(messages.length);
  expect(await rig.createTasks().read(taskId)).toEqual(view);
});

it('reads a task that has been continued as new, with and without a worker', async () => {
  await using rig = await createTaskRig();
  const worker = await rig.startWorker((stage) => (stage.run.stage.id === 'ask' ? ask(stage) : work(stage)));
  const taskId = await startTask(rig.tasks, taskInput({ stages: chain('a', 'b', 'ask'), historyEventsMax: 8 }));
  const view = await untilAsked(rig, taskId);
  await worker[Symbol.asyncDispose]();

  expect(view.task.history.length + view.task.artifacts.length).toBeGreaterThan(1);
  expect(await rig.createTasks().read(taskId)).toEqual(view);
});

it('reads what has ended by the result, and finds there what its history tells', async () => {
  await using rig = await createTaskRig();
  await using _worker = await rig.startWorker(work);
  const taskId = await startTask(rig.tasks, taskInput());
  const items = await followToEnd(rig.tasks, taskId);

  const view = await rig.createTasks().read(taskId);

  expect(view).toEqual(items.at(-1)!.view);
  expect(view.task.status.state).toBe('TASK_STATE_COMPLETED');
});

it('reads tasks whose payloads are too big for history', async () => {
  await using rig = await createTaskRig();
  const big = 'x'.repeat(200_000);
  await using _worker = await rig.startWorker(async ({ progress }) => {
    await progress(chunk(big), chunk(big));
    return { outcome: 'envelope', envelope: { summary: 'done', artifacts: [] } };
  });
  const taskId = await startTask(rig.tasks, taskInput({ text: big }));
  const items = await followToEnd(rig.tasks, taskId);

  const { task } = await rig.createTasks().read(taskId);

  expect(task.history[0]!.parts[0]!.text).toBe(big);
  expect(items.some(({ view }) => view.task.artifacts.some(({ parts }) => parts[0]?.text === big + big))).toBe(true);
  const { history } = await rig.client.workflow
    .getHandle(taskId)
    .fetchHistory()
    .then((fetched) => ({ history: fetched }));
  expect(JSON.stringify(history).length).toBeLessThan(100_000);
});

it('reads a task that an operator has terminated as failed', async () => {
  await using rig = await createTaskRig();
  const taskId = await startTask(rig.tasks, taskInput());
  await rig.client.workflow.getHandle(taskId).terminate('no more');
  const { task } = await rig.tasks.read(taskId);
  expect(task.status).toMatchObject({
    state: 'TASK_STATE_FAILED',
    message: { parts: [{ text: 'Stopped by an operator' }] },
  });
});

it('reads a task whose stage has failed, and one that was cancelled', async () => {
  await using rig = await createTaskRig();
  await using _worker = await rig.startWorker(async ({ run }) => {
    if (run.stage.id === 'ask') return { outcome: 'ask', ask: { id: 'q', kind: 'free_text', message: '?' } };
    return { outcome: 'rejected', message: 'Not me' };
  });
  const rejected = await startTask(rig.tasks, taskInput());
  const cancelled = await startTask(rig.tasks, taskInput({ stages: chain('ask') }));
  await untilAsked(rig, cancelled);
  await rig.tasks.requestCancel(cancelled);

  for (const [taskId, state] of [
    [rejected, 'TASK_STATE_REJECTED'],
    [cancelled, 'TASK_STATE_CANCELED'],
  ] as const) {
    const items = await followToEnd(rig.tasks, taskId);
    expect(items.at(-1)!.view.task.status.state).toBe(state);
    expect(await rig.createTasks().read(taskId)).toEqual(items.at(-1)!.view);
  }
});

it('does not take an ended task for ended any more when an operator has reset it', async () => {
  await using rig = await createTaskRig();
  const worker = await rig.startWorker(work);
  const taskId = await startTask(rig.tasks, taskInput());
  await followToEnd(rig.tasks, taskId);
  expect((await rig.tasks.read(taskId)).task.status.state).toBe('TASK_STATE_COMPLETED');
  await worker[Symbol.asyncDispose]();

  await rig.reset(taskId);

  expect((await rig.tasks.read(taskId)).task.status.state).toBe('TASK_STATE_SUBMITTED');
});

it('folds the history when the workflow cannot be asked', async () => {
  await using rig = await createTaskRig();
  const { taskId } = taskInput();
  const input = { ...taskInput(), taskId, publication: null as never };
  await rig.client.workflow.start('taskWorkflow', { workflowId: taskId, taskQueue: rig.taskQueue, args: [input] });
  await using _worker = await rig.startWorker(work);

  const view = await eventually(() => rig.tasks.read(taskId));

  expect(view.task.id).toBe(taskId);
});

it('knows nothing of a task that never was', async () => {
  await using rig = await createTaskRig();
  const { taskId } = taskInput();
  const notFound = { kind: 'task-not-found' };
  await expect(rig.tasks.read(taskId)).rejects.toMatchObject(notFound);
  await expect(rig.tasks.sendMessage(taskId, textMessage('hello'))).rejects.toMatchObject(notFound);
  await expect(rig.tasks.requestCancel(taskId)).rejects.toMatchObject(notFound);
});
