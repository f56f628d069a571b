import { expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import type { StageScript } from './task-rig.ts';
import { createTaskRig, stage, startTask, taskInput, textMessage } from './task-rig.ts';

const ask: StageScript = async ({ run }) =>
  Object.keys(run.answers).length === 0
    ? { outcome: 'ask', ask: { id: 'q', kind: 'free_text', message: `Which of ${run.stage.id}?` } }
    : { outcome: 'envelope', envelope: { summary: 'done', artifacts: [] } };

it('lists the open questions of all tasks, oldest first, and no answered ones', async () => {
  await using rig = await createTaskRig();
  const inputs = [taskInput(), taskInput({ caller: 'other' }), taskInput()];
  for (const input of inputs) await startTask(rig.tasks, input);
  const own = async () => {
    const questions = await rig.createTasks().listOpenQuestions();
    return questions.filter(({ taskId }) => inputs.some((input) => input.taskId === taskId));
  };
  await using _worker = await rig.startWorker(ask);

  const questions = await eventually(async () => {
    const listed = await own();
    return listed.length === 3 ? listed : undefined;
  });

  expect(questions.map(({ askedAt }) => askedAt)).toEqual(questions.map(({ askedAt }) => askedAt).sort());
  expect(questions.find(({ taskId }) => taskId === inputs[1]!.taskId)).toEqual({
    taskId: inputs[1]!.taskId,
    contextId: inputs[1]!.contextId,
    caller: 'other',
    publication: 'echo',
    requestId: expect.stringContaining('.'),
    stageId: 'work',
    kind: 'free_text',
    message: 'Which of work?',
    callerAnswerable: true,
    askedAt: expect.stringMatching(/^\d{4}-/),
  });

  await rig.tasks.sendMessage(inputs[0]!.taskId, textMessage('this'));
  await eventually(async () => (await own()).length === 2);
});

it('knows a question at once of a task that is followed in this process', async () => {
  await using rig = await createTaskRig();
  await using _worker = await rig.startWorker(ask);
  const taskId = await startTask(rig.tasks, taskInput());

  for await (const { view } of rig.tasks.follow(taskId, { signal: AbortSignal.timeout(20_000) })) {
    if (view.questions.length === 0) continue;
    const listed = await rig.tasks.listOpenQuestions();
    expect(listed.filter((each) => each.taskId === taskId)).toHaveLength(1);
    break;
  }
});

it('lists each of many questions of one task, and the whole of a long one', async () => {
  await using rig = await createTaskRig();
  const ends = 'the end of a long question';
  const askElements: StageScript = async ({ run }) =>
    run.stage.id === 'list'
      ? { outcome: 'envelope', envelope: { summary: '', payload: Array.from({ length: 25 }, () => 0), artifacts: [] } }
      : { outcome: 'ask', ask: { id: 'q', kind: 'free_text', message: `${'x'.repeat(600)} ${ends}` } };
  await using _worker = await rig.startWorker(askElements);
  const stages = [stage('list'), stage('each', { needs: ['list'], forEach: '/list/payload', sideBySide: 25 })];
  const taskId = await startTask(rig.tasks, taskInput({ stages }));
  const questions = await eventually(async () => {
    const listed = (await rig.createTasks().listOpenQuestions()).filter((each) => each.taskId === taskId);
    return listed.length === 25 ? listed : undefined;
  });
  expect(new Set(questions.map(({ element }) => element)).size).toBe(25);
  expect(questions.every(({ message }) => message.endsWith(ends))).toBe(true);
});
