import { expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import type { StageOutcome } from '../../src/domain/stage-run.ts';
import {
  PUSH_DELIVERY_WORKFLOW_TYPE,
  pushDeliveryId,
  pushTaskQueue,
  webhookChangeSignal,
} from '../../workflows/push-delivery-contract.ts';
import type { PushActivities } from '../../activities/index.ts';
import { startTestWorker, uniqueTaskQueue } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { publicationOf, stageOf, startTaskRig } from '../support/task-rig.ts';

const done: StageOutcome = { outcome: 'envelope', envelope: { summary: 'done', artifacts: [] } };

/** A task that asks twice, and a delivery that has nothing to do between. */
it.each([
  ['', 10_000],
  [', also when it has continued as new meanwhile', 25],
])('a task that is watched wakes the delivery of its notifications once%s', async (_name, historyEventsMax) => {
  await using rig = await startTaskRig({
    work: async ({ turn }) =>
      turn < 2 ? { outcome: 'ask', ask: { id: `q${turn}`, kind: 'free_text', message: 'Question?' } } : done,
  });
  const stage = stageOf('work', { gates: ['free_text'], callerAnswerable: true });
  const task = await rig.start(publicationOf({ id: 'watched', stages: [stage] }), { limits: { historyEventsMax } });
  await task.until(({ questions }) => questions.length === 1);

  const taskQueue = uniqueTaskQueue();
  const rounds: boolean[] = [];
  const activities: PushActivities = {
    async deliverPushEvents({ at, hasBegun, isLive }) {
      rounds.push(isLive);
      const { task: now } = await task.view();
      return { at, hasBegun, delivered: 0, end: now.status.state === 'TASK_STATE_COMPLETED' ? 'task-ended' : 'idle' };
    },
    awaitTaskTurn: async () => {
      throw ApplicationFailure.create({ message: 'goes on', nextRetryDelay: '5 minutes' });
    },
  };
  await using _workflows = await startTestWorker({ taskQueue });
  await using _activities = await startTestWorker({
    taskQueue: pushTaskQueue(taskQueue),
    activities,
  });
  const handle = await rig.client.workflow.signalWithStart(PUSH_DELIVERY_WORKFLOW_TYPE, {
    workflowId: pushDeliveryId(task.taskId),
    taskQueue,
    args: [
      {
        taskId: task.taskId,
        limits: { attemptsMax: 3, retryDelayMs: 1, retryDelayMsMax: 1, keepMs: 1, historyEventsMax: 10_000 },
      },
    ],
    signal: webhookChangeSignal,
    signalArgs: [
      {
        signalId: '1',
        set: { id: 'a', sealed: '', host: 'h', fingerprint: 'f', wireVersion: '1.0', from: '', registeredAt: '' },
      },
    ],
  });
  const isAsleep = async (count: number): Promise<boolean> => {
    const details = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    return rounds.length >= count && JSON.stringify(details).includes('waiting');
  };
  await eventually(() => isAsleep(2));
  expect(rounds).toEqual([true, false]);

  await task.say('one');
  await eventually(() => isAsleep(4));
  await task.until(({ questions }) => questions[0]?.askId === 'q1');
  await task.say('two');
  await handle.result();
  expect(rounds.at(-1)).toBe(true);
  // Each wake is one live round, and one to be sure; more only where the task was asked while it still told.
  expect(rounds.length).toBeLessThanOrEqual(9);
  const told = (await handle.fetchHistory()).events?.filter(
    ({ workflowExecutionSignaledEventAttributes: signal }) => signal?.signalName === 'news',
  );
  expect(told?.length).toBeGreaterThanOrEqual(2);
  expect(told?.length).toBeLessThanOrEqual(4);
});
