/** Lists that skip, loop, lag or lie. */
import { expect, it } from '@jest/globals';
import type { Task } from '../../src/domain/a2a.ts';
import { sharedDeployment } from '../support/deployment.ts';
import { testServer } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';

const deployment = sharedDeployment({
  gateways: 2,
  callers: ['lister', 'pager', 'other'],
});

interface Page {
  readonly tasks: Task[];
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
}

async function list(params: Record<string, unknown>, as: string, gateway = 0): Promise<Page> {
  const { body } = await deployment().rpc('ListTasks', params, { as, gateway });
  if (body.error !== undefined) throw new Error(JSON.stringify(body.error));
  return body.result as Page;
}

async function listAll(params: Record<string, unknown>, as: string): Promise<Task[]> {
  const tasks: Task[] = [];
  let pageToken = '';
  do {
    const page = await list({ ...params, pageToken }, as);
    tasks.push(...page.tasks);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return tasks;
}

async function submit(text: string, as: string, fields: Record<string, unknown> = {}): Promise<Task> {
  const { body } = await deployment().send(text, { as, message: fields, configuration: { returnImmediately: true } });
  return body.result.task as Task;
}

it('a submission and a completion are in the list at once', async () => {
  for (const text of ['echo a', 'echo b', 'ask', 'echo c', 'echo d']) {
    const { body } = await deployment().send(text, { as: 'lister' });
    const task = body.result.task as Task;
    const { tasks, totalSize } = await list({}, 'lister');
    expect(tasks[0]).toMatchObject({ id: task.id, status: task.status });
    expect(totalSize).toBe(tasks.length);
    const state = task.status.state;
    expect((await list({ status: state }, 'lister')).tasks.map(({ id }) => id)).toContain(task.id);
    expect((await list({ contextId: task.contextId }, 'lister')).tasks.map(({ id }) => id)).toEqual([task.id]);
  }
  const started = await submit('wait never', 'lister');
  expect((await list({ pageSize: 1 }, 'lister')).tasks.map(({ id }) => id)).toEqual([started.id]);
  expect((await list({ status: 'TASK_STATE_COMPLETED' }, 'lister')).totalSize).toBe(4);
});

it('every task is listed exactly once, the newest status first, at any page size and on any gateway', async () => {
  const ids: string[] = [];
  for (let round = 0; round < 13; round++) {
    const texts = Array.from({ length: 10 }, (_, index) => (index === 0 ? 'ask' : index === 1 ? 'fail' : 'echo x'));
    ids.push(...(await Promise.all(texts.map((text) => submit(text, 'pager')))).map(({ id }) => id));
  }
  const settled = await eventually(async () => {
    const { tasks, totalSize } = await list({ pageSize: 100 }, 'pager', 1);
    expect(totalSize).toBe(130);
    const counts = await Promise.all(
      ['TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_INPUT_REQUIRED'].map(
        async (status) => (await list({ status, pageSize: 1 }, 'pager', 1)).totalSize,
      ),
    );
    expect(counts).toEqual([104, 13, 13]);
    return tasks;
  });
  expect(settled).toHaveLength(100);

  for (const pageSize of [7, 50, 100]) {
    const tasks = await listAll({ pageSize }, 'pager');
    expect(tasks.map(({ id }) => id).sort()).toEqual([...ids].sort());
    const times = tasks.map(({ status }) => status.timestamp);
    expect(times).toEqual([...times].sort().reverse());
    expect(tasks.some((task) => 'artifacts' in task)).toBe(false);
  }
  const asking = await listAll({ status: 'TASK_STATE_INPUT_REQUIRED', pageSize: 5 }, 'pager');
  expect(asking).toHaveLength(13);
  expect(await listAll({ pageSize: 100 }, 'other')).toEqual([]);

  const middle = settled[60]!.status.timestamp;
  const since = await list({ statusTimestampAfter: middle, pageSize: 100 }, 'pager');
  const expected = settled.filter(({ status }) => status.timestamp >= middle);
  expect(since.tasks.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  expect(since.totalSize).toBe(expected.length);
  const offset = new Date(Date.parse(middle) + 5.5 * 3_600_000).toISOString().replace('Z', '+05:30');
  expect((await list({ statusTimestampAfter: offset, pageSize: 100 }, 'pager')).totalSize).toBe(expected.length);
  const future = new Date(Date.now() + 3_600_000).toISOString();
  expect(await list({ statusTimestampAfter: future }, 'pager')).toMatchObject({
    tasks: [],
    nextPageToken: '',
    totalSize: 0,
  });
});

it('tasks that move while pages are read do not hide those that stay', async () => {
  const first = await list({ pageSize: 20 }, 'pager');
  const asking = await listAll({ status: 'TASK_STATE_INPUT_REQUIRED' }, 'pager');
  const moved = asking.slice(0, 4).map(({ id }) => id);
  for (const taskId of moved) await deployment().send('blue', { as: 'pager', message: { taskId } });
  const seen = [...first.tasks];
  for (let pageToken = first.nextPageToken; pageToken !== '';) {
    const page = await list({ pageSize: 20, pageToken }, 'pager');
    seen.push(...page.tasks);
    pageToken = page.nextPageToken;
  }
  const stayed = seen.map(({ id }) => id).filter((id) => !moved.includes(id));
  expect(stayed).toHaveLength(126);
  expect(new Set(stayed).size).toBe(126);
});

it('what an operator terminates is listed as failed, at its close', async () => {
  const { id } = await submit('ask', 'lister');
  await deployment().reaches(id, 'TASK_STATE_INPUT_REQUIRED', { as: 'lister' });
  const { workflow } = await testServer().client();
  await workflow.getHandle(id).terminate('a test');
  await eventually(async () => {
    const { tasks } = await list({ status: 'TASK_STATE_FAILED' }, 'lister', 1);
    return tasks.length === 1 && tasks[0]?.id === id;
  });
  const [newest] = (await list({ pageSize: 1 }, 'lister', 1)).tasks;
  expect(newest).toMatchObject({ id, status: { state: 'TASK_STATE_FAILED' } });
});

it.each([
  ['pageSize', { pageSize: 0 }],
  ['pageSize', { pageSize: 101 }],
  ['pageToken', { pageToken: 'garbage' }],
  ['pageToken', { pageToken: 'Z'.repeat(60) }],
  ['status', { status: 'working' }],
  ['statusTimestampAfter', { statusTimestampAfter: 1_700_000_000 }],
  ['statusTimestampAfter', { statusTimestampAfter: 'yesterday' }],
  ['historyLength', { historyLength: -1 }],
  ['includeArtifacts', { includeArtifacts: 'yes' }],
])('%s that makes no sense is refused: %j', async (field, params) => {
  const { body } = await deployment().rpc('ListTasks', params);
  expect(body.error.code).toBe(-32602);
  expect(body.error.message).toContain(field);
});

it("a token does not open another caller's list, nor another list", async () => {
  const { nextPageToken: pageToken } = await list({ pageSize: 1 }, 'pager');
  for (const [params, as] of [
    [{ pageToken }, 'lister'],
    [{ pageToken, status: 'TASK_STATE_FAILED' }, 'pager'],
  ] as const) {
    const { body } = await deployment().rpc('ListTasks', params, { as });
    expect(body.error).toMatchObject({ code: -32602, message: expect.stringContaining('pageToken') });
  }
});
