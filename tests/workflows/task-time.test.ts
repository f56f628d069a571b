import { describe, expect, it } from '@jest/globals';
import { ApplicationFailure, Context } from '@temporalio/activity';
import { WorkflowFailedError } from '@temporalio/client';
import type { StageOutcome } from '../../src/domain/stage-run.ts';
import { STAGE_FAILURE } from '../../src/domain/stage-run.ts';
import type { TaskView } from '../../src/domain/task-fold.ts';
import { eventually } from '../support/eventually.ts';
import type { RunningTask } from '../support/task-rig.ts';
import { publicationOf, stageOf, startTaskRig } from '../support/task-rig.ts';

const DAY_MS = 86_400_000;
const done = (summary: string): StageOutcome => ({ outcome: 'envelope', envelope: { summary, artifacts: [] } });
const askOnce = async ({ answers }: { answers: Readonly<Record<string, unknown>> }): Promise<StageOutcome> =>
  answers['q'] === undefined
    ? { outcome: 'ask', ask: { id: 'q', kind: 'free_text', message: 'Which?' } }
    : done(answers['q'] as string);
const asks = { gates: ['free_text'], callerAnswerable: true } as const;

async function failed(task: RunningTask): Promise<TaskView> {
  await expect(task.handle.result()).rejects.toThrow(WorkflowFailedError);
  return task.view();
}

interface Stubborn extends Disposable {
  readonly run: () => Promise<StageOutcome>;
  readonly started: Promise<undefined>;
  release(): void;
}

/** Takes no notice of being cancelled, until released. Dispose it before its worker, which waits for it. */
function stubborn(): Stubborn {
  const end = Promise.withResolvers<undefined>();
  const begin = Promise.withResolvers<undefined>();
  const run = async (): Promise<StageOutcome> => {
    const context = Context.current();
    const beat = setInterval(() => context.heartbeat(), 50);
    begin.resolve(undefined);
    await end.promise;
    clearInterval(beat);
    return done('too late');
  };
  const release = (): void => end.resolve(undefined);
  return { run, release, started: begin.promise, [Symbol.dispose]: release };
}

describe('a task over time', () => {
  it('waits 30 days for its answer, which does not count against the timeout of its stage', async () => {
    await using rig = await startTaskRig({ ask: askOnce }, { timeSkipping: true });
    const task = await rig.start(
      publicationOf({ id: 'wait', stages: [stageOf('ask', { ...asks, timeoutMs: 60_000 })] }),
    );
    const { questions } = await task.until((view) => view.questions.length === 1);
    await rig.sleep(30 * DAY_MS);
    expect((await task.view()).questions).toEqual(questions);
    await task.say('blue');

    const view = await task.handle.result();
    expect(view.task.status.message?.parts[0]?.text).toBe('blue');
    expect(Date.parse(view.task.status.timestamp) - Date.parse(questions[0]?.askedAt ?? '')).toBeGreaterThanOrEqual(
      30 * DAY_MS,
    );
  });

  it('tries again after growing pauses, and ends as FAILED after the last', async () => {
    const startedAt: number[] = [];
    await using rig = await startTaskRig(
      {
        work: async () => {
          const { attempt } = Context.current().info;
          startedAt.push(attempt);
          throw ApplicationFailure.create({
            message: 'down',
            type: STAGE_FAILURE,
            nonRetryable: attempt === 3,
            details: [{ reason: 'executor-failed', publicMessage: 'The source is down' }],
          });
        },
      },
      { timeSkipping: true },
    );
    const task = await rig.start(publicationOf({ id: 'retry', stages: [stageOf('work', { retries: 2 })] }));
    const view = await failed(task);
    expect(startedAt).toEqual([1, 2, 3]);
    expect(view.task.status).toMatchObject({
      state: 'TASK_STATE_FAILED',
      message: { parts: [{ text: 'The source is down' }], metadata: { reason: 'executor-failed' } },
    });
  });

  it('gives up a stage whose retries take longer than its timeout', async () => {
    await using rig = await startTaskRig(
      { work: async () => Promise.reject(new Error('down')) },
      { timeSkipping: true },
    );
    const task = await rig.start(
      publicationOf({ id: 'late', stages: [stageOf('work', { retries: 10, timeoutMs: 5_000 })] }),
    );
    const view = await failed(task);
    expect(view.task.status.message).toMatchObject({
      parts: [{ text: 'Stage work took longer than 5 s' }],
      metadata: { reason: 'deadline-exceeded' },
    });
  });
});

describe('a stage that does not stop', () => {
  it('is given up after its timeout and the grace', async () => {
    const work = stubborn();
    await using rig = await startTaskRig({ work: work.run });
    using _released = work;
    const task = await rig.start(publicationOf({ id: 'stubborn', stages: [stageOf('work', { timeoutMs: 500 })] }), {
      limits: { cancelGraceMs: 500, heartbeatTimeoutMs: 5_000 },
    });
    const view = await failed(task);
    work.release();
    expect(view.task.status.message?.metadata).toEqual({ reason: 'deadline-exceeded' });
    expect((await task.handle.describe()).status.name).toBe('FAILED');
  });

  it('holds up a cancel no longer than the grace', async () => {
    const work = stubborn();
    await using rig = await startTaskRig({ work: work.run });
    using _released = work;
    const task = await rig.start(publicationOf({ id: 'stubborn', stages: [stageOf('work')] }), {
      limits: { cancelGraceMs: 500 },
    });
    await work.started;
    await task.handle.cancel();
    const view = await failed(task);
    work.release();
    expect(view.task.status.state).toBe('TASK_STATE_CANCELED');
  });

  it('is waited for within the grace when the task is cancelled, also under a timeout', async () => {
    const work = stubborn();
    await using rig = await startTaskRig({ work: work.run });
    using _released = work;
    const task = await rig.start(publicationOf({ id: 'slow', stages: [stageOf('work', { timeoutMs: DAY_MS })] }), {
      limits: { cancelGraceMs: 600_000 },
    });
    await work.started;
    await task.handle.cancel();
    await eventually(async () => {
      const { events } = await task.handle.fetchHistory();
      return events?.some((event) => event.activityTaskCancelRequestedEventAttributes != null);
    });
    expect((await task.view()).task.status.state).toBe('TASK_STATE_WORKING');
    work.release();
    expect((await failed(task)).task.status.state).toBe('TASK_STATE_CANCELED');
  });
});

describe('cancel', () => {
  it('of a task that asks settles the question and refuses what comes to it', async () => {
    await using rig = await startTaskRig({ ask: askOnce });
    const task = await rig.start(publicationOf({ id: 'ask', stages: [stageOf('ask', asks)] }));
    await task.until(({ questions }) => questions.length === 1);
    await task.handle.cancel();
    const view = await failed(task);
    expect(view.task.status.state).toBe('TASK_STATE_CANCELED');
    expect(view.questions).toEqual([]);
    expect(view.task.history.map(({ parts }) => parts[0]?.text)).toEqual(['hello', 'Which?']);
    await expect(task.say('late')).rejects.toThrow();
  });

  it('refuses messages that come while the stages stop', async () => {
    const work = stubborn();
    await using rig = await startTaskRig({ work: work.run });
    using _released = work;
    const task = await rig.start(publicationOf({ id: 'stop', stages: [stageOf('work', { followUps: true })] }), {
      limits: { cancelGraceMs: 600_000 },
    });
    await work.started;
    await task.handle.cancel();
    await eventually(async () => {
      const { events } = await task.handle.fetchHistory();
      return events?.some((event) => event.activityTaskCancelRequestedEventAttributes != null);
    });
    await task.say('wait');
    work.release();
    const view = await failed(task);
    expect(view.receipts['say-wait']).toMatchObject({ outcome: 'refused', reason: 'ending' });
    expect(view.inbox).toEqual([]);
  });
});

it('does not count a lost worker as a failure of the stage', async () => {
  const attempts: number[] = [];
  await using rig = await startTaskRig({
    work: async () => {
      const { attempt } = Context.current().info;
      attempts.push(attempt);
      // A worker that is gone says nothing, not even that it lives.
      if (attempt === 1) await Context.current().cancelled.catch(() => undefined);
      return done(`by attempt ${attempt}`);
    },
  });
  const task = await rig.start(publicationOf({ id: 'lost', stages: [stageOf('work', { retries: 0 })] }), {
    limits: { heartbeatTimeoutMs: 1_000 },
  });
  const view = await task.handle.result();
  expect(view.task.status.message?.parts[0]?.text).toBe('by attempt 2');
  expect(attempts).toEqual([1, 2]);
});

it('gives a stage its time again when no worker was there to hear of its deadline', async () => {
  const attempts: number[] = [];
  await using rig = await startTaskRig({
    patient: async (run) => {
      const context = Context.current();
      attempts.push(context.info.attempt);
      if (context.info.attempt > 1) {
        const beat = setInterval(() => context.heartbeat(), 50);
        await context.sleep(1_500).finally(() => clearInterval(beat)); // long enough to hear of a cancel
        return askOnce(run);
      }
      if (run.turn > 0) return askOnce(run);
      throw ApplicationFailure.create({ message: 'later', type: STAGE_FAILURE, nextRetryDelay: '2 seconds' });
    },
  });
  const task = await rig.start(
    publicationOf({ id: 'patient', stages: [stageOf('patient', { ...asks, timeoutMs: 3_000, retries: 3 })] }),
    { limits: { heartbeatTimeoutMs: 1_000 } },
  );
  await eventually(() => attempts.length === 1);
  const downAt = Date.now();
  // The deadline passes, and then as much again as makes a worker count as lost.
  await rig.withoutWorker(async () => {
    await eventually(() => Date.now() - downAt > 5_000);
  });

  await task.until(({ questions }) => questions.length === 1);
  await task.say('blue');

  const view = await task.handle.result();
  expect(view.task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(attempts).toEqual([1, 2, 1]);
});
