import { expect, it } from '@jest/globals';
import { newTaskView } from '../../../src/domain/task-fold.ts';
import { FollowQueue } from '../../../src/temporal/history/follow-queue.ts';
import type { TaskFollowItem } from '../../../src/temporal/tasks/task-workflows.ts';
import { collect } from '../tasks/task-rig.ts';

const view = newTaskView({
  taskId: 't',
  contextId: 'c',
  message: { messageId: 'm', role: 'ROLE_USER', parts: [] },
  at: '2026-01-01T00:00:00.000Z',
});
const item = (cursor: string, text = '', isClosed = false): TaskFollowItem => ({
  view,
  shown: [
    {
      cursor,
      event: { artifactUpdate: { taskId: 't', contextId: 'c', artifact: { artifactId: 'a', parts: [{ text }] } } },
    },
  ],
  isClosed,
  isSnapshot: false,
  cursor,
});
const { signal } = new AbortController();
const create = () => new FollowQueue({ itemsMax: 3, charactersMax: 100 });

it('gives items in order, to those that wait and those that come later', async () => {
  const queue = create();
  const collected = collect(queue.drain(signal));
  queue.push(item('1'));
  await Promise.resolve();
  queue.push(item('2'));
  queue.push(item('3', '', true));
  queue.push(item('4'));
  expect((await collected).map(({ cursor }) => cursor)).toEqual(['1', '2', '3']);
});

it('fails a reader that leaves too many items or too much text', async () => {
  const many = create();
  for (const cursor of ['1', '2', '3', '4']) many.push(item(cursor));
  await expect(collect(many.drain(signal))).rejects.toMatchObject({ kind: 'busy' });

  const large = create();
  large.push(item('1', 'x'.repeat(60)));
  large.push(item('2', 'x'.repeat(60)));
  await expect(collect(large.drain(signal))).rejects.toMatchObject({ kind: 'busy' });
});

it('takes one item of any size', async () => {
  const queue = create();
  queue.push(item('1', 'x'.repeat(1_000), true));
  expect(await collect(queue.drain(signal))).toHaveLength(1);
});

it('ends without an error when it is aborted', async () => {
  const aborter = new AbortController();
  const collected = collect(create().drain(aborter.signal));
  aborter.abort();
  expect(await collected).toEqual([]);
});
