import { expect, it } from '@jest/globals';
import type { TaskFollowItem } from '../../../src/temporal/tasks/task-workflows.ts';
import { eventually } from '../../support/eventually.ts';
import { startOwnServer } from '../../support/environment.ts';
import { chunk, createTaskRig, followToEnd, says, shownIn, startTask, taskInput } from '../tasks/task-rig.ts';

it('outlives the end of the server, and then shows each thing once', async () => {
  await using server = await startOwnServer();
  await using rig = await createTaskRig(server);
  const gate = Promise.withResolvers<undefined>();
  const taskId = await startTask(rig.tasks, taskInput());
  const all: TaskFollowItem[] = [];
  const following = (async () => {
    for await (const item of rig.tasks.follow(taskId, { signal: AbortSignal.timeout(55_000) })) all.push(item);
  })();
  const worker = await rig.startWorker(async ({ progress }) => {
    await progress(says('before'), chunk('one '));
    await gate.promise;
    for (let round = 0; round < 5; round++) await progress(chunk(`${round} `));
    await progress(says('after'));
    return { outcome: 'envelope', isAnswered: true, envelope: { summary: 'done', artifacts: [] } };
  });
  await eventually(() => shownIn(all).length > 2);

  server.kill();
  gate.resolve(undefined);
  await server.restart();
  await following;
  await worker[Symbol.asyncDispose]();

  const cursors = shownIn(all).map(({ cursor }) => cursor);
  expect(new Set(cursors).size).toBe(cursors.length);
  const [first] = cursors;
  expect(shownIn(await followToEnd(rig.createTasks(), taskId, first))).toEqual(shownIn(all).slice(1));
  expect(all.at(-1)!.view).toEqual(await rig.createTasks().read(taskId));
  expect(all.at(-1)!.view.task.artifacts[0]!.parts[0]!.text).toContain('one 0 1 2 3 4 ');
}, 120_000);
