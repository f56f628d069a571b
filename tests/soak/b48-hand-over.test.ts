/** A flood of follow-ups over a workflow that is continued as new every 20 events, while its worker comes and goes. */
import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { StageOutcome } from '../../src/domain/stage-run.ts';
import { eventually } from '../support/eventually.ts';
import { type RunningTask, publicationOf, stageOf, startTaskRig } from '../support/task-rig.ts';

const FOLLOW_UPS = 500;
const RESTARTS = 10;

it('500 follow-ups in 5 s are in history in order, once each, however often the worker is another one', async () => {
  const heard: (readonly string[])[] = [];
  await using rig = await startTaskRig({
    // Silent until all have come; each question lets the workflow be continued as new.
    async work({ followUps, turn }): Promise<StageOutcome> {
      heard.push(followUps.map(({ messageId }) => messageId));
      return followUps.length < FOLLOW_UPS
        ? { outcome: 'ask', ask: { id: `q${turn}`, kind: 'confirm', message: `Turn ${turn}?` } }
        : {
            outcome: 'envelope',
            envelope: { summary: 'all', payload: followUps.map(({ messageId }) => messageId), artifacts: [] },
          };
    },
  });
  const publication = publicationOf({
    id: 'hand-over',
    stages: [stageOf('work', { followUps: true, gates: ['confirm'] })],
  });
  const task = await rig.start(publication, {
    taskId: `hand-over-${randomUUID()}`,
    limits: { historyEventsMax: 20 },
  });
  await task.until(({ questions }) => questions.length === 1);

  const names = Array.from({ length: FOLLOW_UPS }, (_, index) => `m${String(index).padStart(3, '0')}`);
  const restarting = (async () => {
    for (let restart = 0; restart < RESTARTS; restart += 1) await rig.withoutWorker(() => Promise.resolve());
  })();
  // One after the other, so that there is an order; each is sent twice, as a client would that got no answer.
  for (const name of names) await Promise.all([task.say(name), task.say(name)]);
  await restarting;
  await eventually(async () => Object.keys((await task.view()).receipts).length === FOLLOW_UPS, { timeoutMs: 180_000 });
  await answerAll(task);

  const view = await task.handle.result();
  expect(view.task.id).toBe(task.taskId);
  expect(view.task.artifacts[0]?.parts[0]?.data).toEqual(names.map((name) => `say-${name}`));
  const said = view.task.history.filter(({ role }) => role === 'ROLE_USER').slice(1);
  expect(said.map(({ parts }) => parts[0]?.text)).toEqual(names);
  expect(Object.values(view.receipts).filter(({ outcome }) => outcome === 'queued')).toHaveLength(FOLLOW_UPS);
  const { firstRunId } = (await task.handle.describe()).raw.workflowExecutionInfo ?? {};
  expect(firstRunId).not.toBe((await task.handle.describe()).runId);
});

async function answerAll(task: RunningTask): Promise<void> {
  const { questions } = await task.view();
  for (const { requestId } of questions) await task.answer(requestId, { kind: 'confirm', decision: 'accept' });
}
