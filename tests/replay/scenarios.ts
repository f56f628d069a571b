/** One task of each kind, for the histories that every change of the workflow must replay. */
import { ApplicationFailure, Context } from '@temporalio/activity';
import { keepEnvelope } from '../../activities/keep-envelope.ts';
import { isEnvelopeRef } from '../../src/domain/envelope.ts';
import type { Publication } from '../../src/domain/pipeline.ts';
import type { StageOutcome } from '../../src/domain/stage-run.ts';
import { STAGE_FAILURE } from '../../src/domain/stage-run.ts';
import type { KeptValues } from '../../src/storage/kept-values.ts';
import type { TaskLimits } from '../../workflows/task-contract.ts';
import type { RunningTask, ScriptedStage } from '../support/task-rig.ts';
import { publicationOf, stageOf } from '../support/task-rig.ts';

export interface Scenario {
  readonly publication: Publication;
  readonly stages: Readonly<Record<string, ScriptedStage>>;
  readonly limits?: Partial<TaskLimits>;
  /** What happens to the task until it ends by itself. */
  readonly live?: (task: RunningTask) => Promise<void>;
}

const done = (summary: string, payload?: string[]): StageOutcome => ({
  outcome: 'envelope',
  envelope: { summary, artifacts: [], ...(payload && { payload }) },
});
/** However small: kept elsewhere, as what is large is. */
const keeping = async (kept: KeptValues, outcome: StageOutcome): Promise<StageOutcome> =>
  outcome.outcome === 'envelope' && !isEnvelopeRef(outcome.envelope)
    ? { ...outcome, envelope: await keepEnvelope(kept, outcome.envelope, 0) }
    : outcome;
const asking: ScriptedStage = async ({ answers, turn }) =>
  Object.keys(answers).length === turn && turn < 5
    ? { outcome: 'ask', ask: { id: `q${turn}`, kind: 'free_text', message: `Question ${turn}?` } }
    : done('done');
const fails = (nonRetryable: boolean): never => {
  throw ApplicationFailure.create({
    message: 'no route',
    type: STAGE_FAILURE,
    nonRetryable,
    details: [{ reason: 'executor-failed' }],
  });
};
const untilCancelled = async (): Promise<StageOutcome> => {
  const context = Context.current();
  const beat = setInterval(() => context.heartbeat(), 100);
  try {
    return await context.cancelled;
  } finally {
    clearInterval(beat);
  }
};
const one = (id: string, changes = {}, publication: Partial<Publication> = {}): Publication =>
  publicationOf({ id, stages: [stageOf('work', changes)] }, publication);
const asks = { gates: ['free_text'], callerAnswerable: true } as const;

async function answerAll(task: RunningTask): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) {
    await task.until(({ questions }) => questions[0]?.askId === `q${turn}`);
    await task.say(`answer ${turn}`);
  }
}

async function answerGate(task: RunningTask, decision: 'accept' | 'reject'): Promise<void> {
  const { questions } = await task.until((view) => view.questions.length === 1);
  await task.answer(questions[0]?.requestId ?? '', { kind: 'confirm', decision });
}

const { executor: _, ...review } = stageOf('review', {
  needs: ['gather'],
  gate: { kind: 'confirm', message: 'Publish?' },
});

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  plain: { publication: one('plain', {}, { plain: true }), stages: { work: async () => done('hello') } },
  asked: { publication: one('asked', asks), stages: { work: asking }, live: answerAll },
  'continued-as-new': {
    publication: one('continued-as-new', asks),
    stages: { work: asking },
    limits: { historyEventsMax: 15 },
    live: answerAll,
  },
  'for-each-and-gate': {
    publication: publicationOf({
      id: 'for-each-and-gate',
      stages: [
        stageOf('plan'),
        stageOf('gather', { needs: ['plan'], forEach: '/plan/payload', sideBySide: 2 }),
        review,
        stageOf('report', { needs: ['review'] }),
      ],
    }),
    stages: {
      plan: async () => done('plan', ['a', 'b', 'c']),
      gather: async ({ item }) => done(`gathered ${item as string}`),
      report: async () => done('report'),
    },
    live: (task) => answerGate(task, 'accept'),
  },
  'for-each-kept': {
    publication: publicationOf({
      id: 'for-each-kept',
      stages: [
        stageOf('plan'),
        stageOf('gather', { needs: ['plan'], forEach: '/plan/payload', sideBySide: 2 }),
        stageOf('report', { needs: ['gather'] }),
      ],
    }),
    stages: {
      plan: async (_run, _facts, _upstream, { kept }) => keeping(kept, done('plan', ['a', 'b', 'c'])),
      gather: async ({ element }, _facts, _upstream, { kept }) => keeping(kept, done(`gathered ${element ?? ''}`)),
      report: async () => done('report'),
    },
  },
  'gate-rejected': {
    publication: one('gate-rejected', { gate: { kind: 'confirm', message: 'Go?' } }),
    stages: { work: async () => done('never') },
    live: (task) => answerGate(task, 'reject'),
  },
  failed: { publication: one('failed'), stages: { work: async () => fails(true) } },
  retried: {
    publication: one('retried', { retries: 1 }),
    stages: { work: async () => (Context.current().info.attempt === 1 ? fails(false) : done('second try')) },
  },
  cancelled: {
    publication: one('cancelled', { timeoutMs: 3_600_000 }),
    stages: { work: untilCancelled },
    live: async (task) => {
      await task.until(({ task: { status } }) => status.state === 'TASK_STATE_WORKING');
      await task.handle.cancel();
    },
  },
  'cancelled-asking': {
    publication: one('cancelled-asking', asks),
    stages: { work: asking },
    live: async (task) => {
      await task.until(({ questions }) => questions.length === 1);
      await task.handle.cancel();
    },
  },
  deadline: {
    publication: one('deadline', { timeoutMs: 300 }),
    stages: { work: untilCancelled },
    limits: { heartbeatTimeoutMs: 1000 },
  },
  progress: {
    publication: one('progress', {}, { plain: true }),
    stages: {
      work: async (_run, _facts, _upstream, { progress }) => {
        const chunk = (text: string) => ({
          artifact: { artifactId: 'answer', name: 'answer', parts: [{ text }] },
          append: true,
          lastChunk: false,
        });
        await progress({ text: 'half', percent: 50, step: 'one', at: new Date().toISOString() }, chunk('hel'));
        await progress(chunk('lo'));
        return done('hello');
      },
    },
  },
  'auth-required': {
    publication: one('auth-required'),
    stages: {
      work: async ({ turn }) => (turn === 0 ? { outcome: 'auth-required', message: 'Log in' } : done('in')),
    },
    live: async (task) => {
      await task.until(({ task: { status } }) => status.state === 'TASK_STATE_AUTH_REQUIRED');
      await task.say('done');
    },
  },
  'follow-ups': {
    publication: publicationOf({
      id: 'follow-ups',
      stages: [stageOf('work', { followUps: true, gates: ['confirm'] }), stageOf('side')],
    }),
    stages: {
      work: async ({ turn }) =>
        turn === 0 ? { outcome: 'ask', ask: { id: 'go', kind: 'confirm', message: 'Go?' } } : done('done'),
      side: async () => done('side'),
    },
    live: async (task) => {
      await task.until(({ questions }) => questions.length === 1);
      await task.say('one');
      await task.say('two');
      await answerGate(task, 'accept');
    },
  },
  rejected: {
    publication: one('rejected'),
    stages: { work: async () => ({ outcome: 'rejected', message: 'Not my trade' }) },
  },
  reply: {
    publication: one('reply', {}, { plain: true }),
    stages: { work: async () => ({ outcome: 'reply', parts: [{ text: 'hi' }] }) },
  },
};
