import { expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { createTaskRig, followToEnd, says, shownIn, startTask, taskInput } from '../temporal/tasks/task-rig.ts';

// Temporal answers a long poll after 20 s with nothing but a token.
it('follows on when nothing happens for longer than a long poll lasts', async () => {
  await using rig = await createTaskRig();
  const taskId = await startTask(rig.tasks, taskInput());
  const following = followToEnd(rig.tasks, taskId, undefined, 90_000);
  await delay(45_000);
  await using _worker = await rig.startWorker(async ({ progress }) => {
    await progress(says('at last'));
    return { outcome: 'envelope', envelope: { summary: 'done', artifacts: [] } };
  });

  const items = await following;

  expect(items.filter(({ isSnapshot }) => isSnapshot)).toHaveLength(1);
  expect(items.at(-1)!.view.task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(shownIn(await followToEnd(rig.createTasks(), taskId, items[0]!.cursor))).toEqual(shownIn(items));
}, 120_000);
