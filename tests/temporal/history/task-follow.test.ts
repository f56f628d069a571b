import { expect, it, jest } from '@jest/globals';
import type { Connection } from '@temporalio/client';
import type { TaskFollowItem } from '../../../src/temporal/tasks/task-workflows.ts';
import { eventually } from '../../support/eventually.ts';
import type { StageScript } from '../tasks/task-rig.ts';
import {
  chain,
  chunk,
  collect,
  createTaskRig,
  followToEnd,
  says,
  shownIn,
  startTask,
  taskInput,
  textMessage,
} from '../tasks/task-rig.ts';

const done = { outcome: 'envelope', envelope: { summary: 'done', artifacts: [] } } as const;

const talk: StageScript = async ({ run, progress }) => {
  await progress(says(`begin ${run.stage.id}`), chunk('one ', run.stage.id !== 'a'), chunk('two '));
  await progress(says(`end ${run.stage.id}`));
  return done;
};

const ask: StageScript = async ({ run }) =>
  Object.keys(run.answers).length === 0
    ? { outcome: 'ask', ask: { id: 'q', kind: 'free_text', message: 'Which?' } }
    : done;

it('shows everything from the snapshot to the end, over continue-as-new', async () => {
  await using rig = await createTaskRig();
  const taskId = await startTask(rig.tasks, taskInput({ stages: chain('a', 'b', 'c'), historyEventsMax: 8 }));
  const following = followToEnd(rig.tasks, taskId);
  await using _worker = await rig.startWorker(talk);
  const items = await following;

  expect(items.map(({ isSnapshot }) => isSnapshot)).toEqual([true, ...items.slice(1).map(() => false)]);
  const texts = shownIn(items).flatMap(({ event }) =>
    'statusUpdate' in event ? (event.statusUpdate.status.message?.parts ?? []).map(({ text }) => text) : [],
  );
  expect(texts.filter((text) => /^(begin|end) /.test(text ?? ''))).toEqual([
    'begin a',
    'end a',
    'begin b',
    'end b',
    'begin c',
    'end c',
  ]);
  expect(new Set(shownIn(items).map(({ cursor }) => cursor.split('.')[0])).size).toBeGreaterThan(1);
  expect(items.at(-1)!.view).toEqual(await rig.createTasks().read(taskId));
});

it('gives exactly the rest behind every cursor, of a task that has ended and was continued as new', async () => {
  await using rig = await createTaskRig();
  const taskId = await startTask(rig.tasks, taskInput({ stages: chain('a', 'b', 'c'), historyEventsMax: 8 }));
  const following = followToEnd(rig.tasks, taskId);
  await using _worker = await rig.startWorker(talk);
  const items = await following;
  const shown = shownIn(items);
  const elsewhere = rig.createTasks();

  for (const [index, { cursor }] of shown.entries()) {
    const rest = await followToEnd(elsewhere, taskId, cursor);
    expect(shownIn(rest)).toEqual(shown.slice(index + 1));
    expect(rest.some(({ isSnapshot }) => isSnapshot)).toBe(false);
    expect(rest.at(-1)).toMatchObject({ isClosed: true, view: items.at(-1)!.view });
  }
  for (const [index, { cursor }] of items.entries()) {
    const rest = await followToEnd(elsewhere, taskId, cursor);
    if (index < items.length - 1) expect(rest).toEqual(items.slice(index + 1));
    else expect(rest).toEqual([{ ...items.at(-1)!, shown: [] }]);
  }
});

it('goes on live behind a cursor, with no gap and no repeat', async () => {
  await using rig = await createTaskRig();
  await using _worker = await rig.startWorker(async (stage) => {
    if (stage.run.stage.id === 'ask') return ask(stage);
    return talk(stage);
  });
  const stages = chain('a', 'b', 'ask', 'c');
  const taskId = await startTask(rig.tasks, taskInput({ stages, historyEventsMax: 8 }));
  const all: TaskFollowItem[] = [];
  const following = (async () => {
    for await (const item of rig.tasks.follow(taskId, { signal: AbortSignal.timeout(40_000) })) all.push(item);
  })();
  await eventually(() => all.at(-1)?.view.questions.length === 1);

  // One more process, and one more follower of this one, at every cursor there is so far.
  const elsewhere = rig.createTasks();
  const cursors = shownIn(all).map(({ cursor }) => cursor);
  const resumed = cursors.flatMap((cursor) =>
    [rig.tasks, elsewhere].map(async (tasks) => ({ cursor, rest: await followToEnd(tasks, taskId, cursor) })),
  );
  await rig.tasks.sendMessage(taskId, textMessage('this'));
  await following;

  const shown = shownIn(all);
  for (const { cursor, rest } of await Promise.all(resumed)) {
    const index = shown.findIndex((each) => each.cursor === cursor);
    expect(shownIn(rest)).toEqual(shown.slice(index + 1));
  }
});

it('shares one long poll among all followers of a task', async () => {
  await using rig = await createTaskRig();
  const polls = countPolls(rig.connection);
  const taskId = await startTask(rig.tasks, taskInput());
  const followers = Array.from({ length: 10 }, () => followToEnd(rig.tasks, taskId));
  await eventually(() => polls.open === 1);
  const late = followToEnd(rig.tasks, taskId);
  await using _worker = await rig.startWorker(talk);

  const [first, ...others] = await Promise.all([...followers, late]);

  expect(polls.most).toBe(1);
  for (const items of others) expect(shownIn(items)).toEqual(shownIn(first));
});

it('lets more tails than places take turns', async () => {
  await using rig = await createTaskRig();
  const polls = countPolls(rig.connection);
  const tasks = rig.createTasks({ pollsMax: 2 });
  const taskIds = await Promise.all(Array.from({ length: 6 }, () => startTask(tasks, taskInput())));
  const followers = taskIds.map((taskId) => followToEnd(tasks, taskId));
  await eventually(() => polls.open === 2);
  await using _worker = await rig.startWorker(talk);

  for (const items of await Promise.all(followers)) expect(items.at(-1)!.isClosed).toBe(true);
  expect(polls.most).toBe(2);
});

it('stops polling when the last follower has gone', async () => {
  await using rig = await createTaskRig();
  const polls = countPolls(rig.connection);
  const taskId = await startTask(rig.tasks, taskInput());
  const [first, second] = [new AbortController(), new AbortController()];
  const followers = [first, second].map(({ signal }) => collect(rig.tasks.follow(taskId, { signal })));
  await eventually(() => polls.open === 1);

  first.abort();
  expect(await followers[0]).toHaveLength(1);
  expect(polls.open).toBe(1);
  second.abort();
  expect(await followers[1]).toHaveLength(1);
  await eventually(() => polls.open === 0);
});

it('ends at once, and without an error, when it is aborted before it began', async () => {
  await using rig = await createTaskRig();
  const taskId = await startTask(rig.tasks, taskInput());
  expect(await collect(rig.tasks.follow(taskId, { signal: AbortSignal.abort() }))).toEqual([]);
});

it.each([
  ['no cursor at all', () => 'hello'],
  ['a number', () => '17'],
  ['an unknown run', () => '00000000-0000-4000-8000-000000000000.5.0'],
  ['a run of another task', (foreign: string) => foreign],
  ['an event that is still to come', (_: string, own: string) => own.replace(/\.\d+\.\d+$/, '.9999999999.0')],
  ['an index that the event does not have', (_: string, own: string) => own.replace(/\.\d+$/, '.77')],
  ['an event of Temporal alone', (_: string, own: string) => own.replace(/\.\d+\.\d+$/, '.2.0')],
  ['markup', () => `<script>${'x'.repeat(100_000)}`],
])('answers %s with a snapshot', async (_name, cursorOf) => {
  await using rig = await createTaskRig();
  await using _worker = await rig.startWorker(talk);
  const taskId = await startTask(rig.tasks, taskInput());
  const own = shownIn(await followToEnd(rig.tasks, taskId)).at(-1)!.cursor;
  const foreign = shownIn(await followToEnd(rig.tasks, await startTask(rig.tasks, taskInput()))).at(-1)!.cursor;

  const items = await followToEnd(rig.tasks, taskId, cursorOf(foreign, own));

  expect(items).toMatchObject([{ isSnapshot: true, isClosed: true, shown: [], view: { task: { id: taskId } } }]);
});

it('goes on with the new run when an operator resets the task', async () => {
  await using rig = await createTaskRig();
  const worker = await rig.startWorker(ask);
  const taskId = await startTask(rig.tasks, taskInput());
  const all: TaskFollowItem[] = [];
  const following = (async () => {
    for await (const item of rig.tasks.follow(taskId, { signal: AbortSignal.timeout(40_000) })) all.push(item);
  })();
  await eventually(() => all.at(-1)?.view.questions.length === 1);
  const cursorBefore = all.at(-1)!.cursor;
  await worker[Symbol.asyncDispose]();

  const runId = await rig.reset(taskId);
  await eventually(() => all.at(-1)?.isSnapshot && all.at(-1)!.cursor.startsWith(runId));
  expect(all.some(({ isClosed }) => isClosed)).toBe(false);
  const resumed = followToEnd(rig.createTasks(), taskId, cursorBefore);

  await using _worker = await rig.startWorker(async () => done);
  await following;
  expect(all.at(-1)).toMatchObject({ isClosed: true, view: { task: { status: { state: 'TASK_STATE_COMPLETED' } } } });
  const [first, ...rest] = await resumed;
  expect(first).toMatchObject({ isSnapshot: true });
  expect(first!.cursor).toContain(runId);
  expect(rest.at(-1)!.view).toEqual(all.at(-1)!.view);
});

it('shows a task that is terminated as failed', async () => {
  await using rig = await createTaskRig();
  const taskId = await startTask(rig.tasks, taskInput());
  const following = followToEnd(rig.tasks, taskId);
  await rig.client.workflow.getHandle(taskId).terminate();

  const items = await following;

  expect(items.at(-1)!.view.task.status.state).toBe('TASK_STATE_FAILED');
  expect(await followToEnd(rig.createTasks(), taskId)).toMatchObject([{ isSnapshot: true, isClosed: true }]);
});

it('ends a follower that falls behind, and no other', async () => {
  await using rig = await createTaskRig();
  const tasks = rig.createTasks({ queueLimits: { itemsMax: 2, charactersMax: 1_000_000 } });
  const taskId = await startTask(tasks, taskInput({ stages: chain('a', 'b') }));
  const slow = tasks.follow(taskId, { signal: AbortSignal.timeout(40_000) })[Symbol.asyncIterator]();
  const snapshot = await slow.next();
  const quick = followToEnd(tasks, taskId);
  await using _worker = await rig.startWorker(talk);
  const items = await quick;

  await expect(slow.next()).rejects.toMatchObject({ kind: 'busy' });
  const { cursor } = snapshot.value as TaskFollowItem;
  expect(shownIn(await followToEnd(tasks, taskId, cursor))).toEqual(shownIn(items));
});

it('follows no task that never was', async () => {
  await using rig = await createTaskRig();
  const { signal } = new AbortController();
  await expect(collect(rig.tasks.follow(taskInput().taskId, { signal }))).rejects.toMatchObject({
    kind: 'task-not-found',
  });
});

it('lets signals that nobody can fold count for nothing', async () => {
  await using rig = await createTaskRig();
  const taskId = await startTask(rig.tasks, taskInput());
  const following = followToEnd(rig.tasks, taskId);
  const handle = rig.client.workflow.getHandle(taskId);
  for (const odd of [null, 'text', {}, { seq: 'x', items: [{}] }]) {
    await handle.signal('progress', odd);
    await handle.signal('message', odd);
  }
  await handle.signal('unheard-of', 1, 2, 3);
  await using _worker = await rig.startWorker(talk);

  const items = await following;

  expect(items.at(-1)!.view).toEqual(await rig.createTasks().read(taskId));
  expect(items.at(-1)!.view.task.status.state).toBe('TASK_STATE_COMPLETED');
});

/** Counts the long polls of all tails on a connection. */
function countPolls(connection: Connection): { open: number; most: number } {
  const polls = { open: 0, most: 0 };
  const service = connection.workflowService;
  const read = service.getWorkflowExecutionHistory.bind(service);
  // The token tells a wait for what comes next from the first read, which gives what is there.
  const counting = async (request: Parameters<typeof read>[0]): ReturnType<typeof read> => {
    if (!request.waitNewEvent || !request.nextPageToken) return read(request);
    polls.open++;
    polls.most = Math.max(polls.most, polls.open);
    try {
      return await read(request);
    } finally {
      polls.open--;
    }
  };
  jest.spyOn(service, 'getWorkflowExecutionHistory').mockImplementation(counting);
  return polls;
}

it('begins with the start of a task that its follower has just started, and asks Temporal for no more than what comes', async () => {
  await using rig = await createTaskRig();
  const describeRuns = jest.spyOn(rig.client.workflowService, 'describeWorkflowExecution');
  const [followed, other] = [await startTask(rig.tasks, taskInput()), await startTask(rig.tasks, taskInput())];
  const following = collect(rig.tasks.follow(followed, { isNew: true, signal: AbortSignal.timeout(50_000) }));
  await using _worker = await rig.startWorker(talk);
  const items = await following;

  expect(describeRuns).not.toHaveBeenCalled();
  expect(items[0]).toMatchObject({ isSnapshot: true, view: { task: { status: { state: 'TASK_STATE_SUBMITTED' } } } });
  expect(items.at(-1)!.isClosed).toBe(true);
  expect(items.at(-1)!.view).toEqual(await rig.createTasks().read(followed));
  // Somebody else may have seen more of it.
  await followToEnd(rig.createTasks(), other);
  const [late] = await collect(rig.tasks.follow(other, { signal: AbortSignal.timeout(50_000) }));
  expect(late).toMatchObject({ isClosed: true, view: { task: { status: { state: 'TASK_STATE_COMPLETED' } } } });
});
