import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { createProgressSender } from '../../../src/temporal/tasks/task-progress-sender.ts';
import { eventually } from '../../support/eventually.ts';
import { startOwnServer } from '../../support/environment.ts';
import type { StageScript } from './task-rig.ts';
import { createTaskRig, followToEnd, says, startTask, taskInput, textMessage } from './task-rig.ts';

const ask: StageScript = async ({ run }) =>
  Object.keys(run.answers).length === 0
    ? { outcome: 'ask', ask: { id: 'q', kind: 'free_text', message: 'Which?' } }
    : { outcome: 'envelope', envelope: { summary: JSON.stringify(run.answers), artifacts: [] } };

it('takes a message with no worker up, and the workflow takes it once', async () => {
  await using rig = await createTaskRig();
  const taskId = await startTask(rig.tasks, taskInput());
  const message = textMessage('years');
  await rig.tasks.sendMessage(taskId, message);
  await rig.tasks.sendMessage(taskId, message);
  expect((await rig.tasks.read(taskId)).inbox).toEqual([message]);

  await using _worker = await rig.startWorker(ask);
  const { receipts } = await eventually(async () => {
    const view = await rig.tasks.read(taskId);
    return view.receipts[message.id] && view;
  });
  expect(Object.keys(receipts)).toEqual([message.id]);
});

it('refuses messages to a task that has ended, and a cancel of one does no harm', async () => {
  await using rig = await createTaskRig();
  await using _worker = await rig.startWorker(async () => ({
    outcome: 'envelope',
    envelope: { summary: 'done', artifacts: [] },
  }));
  const taskId = await startTask(rig.tasks, taskInput());
  await followToEnd(rig.tasks, taskId);

  await expect(rig.tasks.sendMessage(taskId, textMessage('late'))).rejects.toMatchObject({
    kind: 'unsupported-operation',
  });
  await rig.tasks.requestCancel(taskId);
  expect((await rig.tasks.read(taskId)).task.status.state).toBe('TASK_STATE_COMPLETED');
});

it('cancels, and cancels once', async () => {
  await using rig = await createTaskRig();
  await using _worker = await rig.startWorker(ask);
  const taskId = await startTask(rig.tasks, taskInput());
  await Promise.all([rig.tasks.requestCancel(taskId), rig.tasks.requestCancel(taskId)]);
  const items = await followToEnd(rig.tasks, taskId);
  expect(items.at(-1)!.view.task.status.state).toBe('TASK_STATE_CANCELED');
});

it('drops the progress of a run that has ended or never was', async () => {
  await using rig = await createTaskRig();
  const sendProgress = createProgressSender({ connection: rig.connection, temporalClient: rig.client });
  const taskId = await startTask(rig.tasks, taskInput());
  const { runId } = await rig.client.workflow.getHandle(taskId).describe();
  await rig.client.workflow.getHandle(taskId).terminate();
  const progress = { stageId: 'work', turn: 0, attempt: 1, seq: 1, items: [says('late')] };

  await sendProgress({ workflowId: taskId, runId }, progress);
  await sendProgress({ workflowId: taskId, runId: randomUUID() }, progress);
});

it('sends progress when Temporal is back', async () => {
  await using server = await startOwnServer();
  await using rig = await createTaskRig(server);
  const sendProgress = createProgressSender({ connection: rig.connection, temporalClient: rig.client });
  const taskId = await startTask(rig.tasks, taskInput());
  const { runId } = await rig.client.workflow.getHandle(taskId).describe();
  const run = { workflowId: taskId, runId };
  const progress = { stageId: 'work', turn: 0, attempt: 1, seq: 1, items: [says('patient')] };
  server.kill();

  const aborted = new AbortController();
  const abandoned = sendProgress(run, progress, aborted.signal);
  aborted.abort(new Error('enough'));
  await expect(abandoned).rejects.toThrow();
  const sent = sendProgress(run, progress);
  await server.restart();
  await sent;

  expect((await rig.tasks.read(taskId)).runs['work']).toMatchObject({ seq: 1 });
});
