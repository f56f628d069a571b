import { describe, expect, it } from '@jest/globals';
import type { StageOutcome } from '../../src/domain/stage-run.ts';
import type { TaskView } from '../../src/domain/task-fold.ts';
import { messageSignal } from '../../workflows/task-contract.ts';
import { publicationOf, stageOf, startTaskRig } from '../support/task-rig.ts';

const done = (summary: string, payload?: string[]): StageOutcome => ({
  outcome: 'envelope',
  envelope: { summary, artifacts: [], ...(payload && { payload }) },
});
const gate = () => Promise.withResolvers<undefined>();
const saidIn = ({ task }: TaskView): readonly (string | undefined)[] =>
  task.history.slice(1).map(({ parts }) => parts[0]?.text);
const names = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `m${at}`);

describe('follow-ups', () => {
  it('reach their stage in order, which runs again before it completes while some are unread', async () => {
    const opened = gate();
    const turns: string[][] = [];
    await using rig = await startTaskRig({
      work: async ({ followUps }) => {
        turns.push(followUps.map(({ messageId }) => messageId));
        if (turns.length === 1) await opened.promise;
        return done('done', turns.at(-1));
      },
    });
    const publication = publicationOf({ id: 'follow', stages: [stageOf('work', { followUps: true })] });
    const task = await rig.start(publication);
    await task.until(() => turns.length === 1);
    for (const name of names(5)) await task.say(name);
    await task.until(({ receipts }) => Object.keys(receipts).length === 5);
    opened.resolve(undefined);

    const view = await task.handle.result();
    expect(turns).toEqual([[], names(5).map((name) => `say-${name}`)]);
    expect(saidIn(view)).toEqual(names(5));
    expect(Object.values(view.receipts).map(({ outcome }) => outcome)).toEqual(names(5).map(() => 'queued'));
    expect(view.task.artifacts[0]?.parts[0]?.data).toEqual(names(5).map((name) => `say-${name}`));
  });

  it('are none lost, and each taken once, in a burst of 50 sent twice over runs of the workflow', async () => {
    let read: readonly string[] = [];
    const runs = { now: 0, most: 0 };
    await using rig = await startTaskRig({
      work: async ({ followUps, turn }) => {
        runs.now += 1;
        runs.most = Math.max(runs.most, runs.now);
        read = followUps.map(({ messageId }) => messageId);
        runs.now -= 1;
        return read.length < 50 && turn % 2 === 0
          ? { outcome: 'ask', ask: { id: `q${turn}`, kind: 'confirm', message: 'Go on?' } }
          : done('done');
      },
    });
    const publication = publicationOf({
      id: 'burst',
      stages: [stageOf('work', { followUps: true, gates: ['confirm'] })],
    });
    const task = await rig.start(publication, { limits: { historyEventsMax: 30 } });
    await task.until(({ questions }) => questions.length === 1);
    await Promise.all([...names(50), ...names(50)].map((name) => task.say(name)));
    const asking = await task.until(({ receipts }) => Object.keys(receipts).length === 50);
    await task.answer(asking.questions[0]?.requestId ?? '', { kind: 'confirm', decision: 'accept' });

    const view = await task.handle.result();
    expect(read.toSorted()).toEqual(
      names(50)
        .map((name) => `say-${name}`)
        .toSorted(),
    );
    expect(saidIn(view).toSorted()).toEqual([...names(50)].toSorted());
    expect(read).toEqual(saidIn(view).map((text) => `say-${text ?? ''}`));
    expect(runs.most).toBe(1);
  });

  it('that come while a reply is made are read before it is given', async () => {
    const opened = gate();
    const turns: number[] = [];
    await using rig = await startTaskRig({
      work: async ({ followUps }) => {
        turns.push(followUps.length);
        if (turns.length === 1) await opened.promise;
        return { outcome: 'reply', parts: [{ text: `heard ${followUps.length}` }] };
      },
    });
    const task = await rig.start(
      publicationOf({ id: 'reply', stages: [stageOf('work', { followUps: true })] }, { plain: true }),
    );
    await task.until(() => turns.length === 1);
    await task.say('wait');
    await task.until(({ receipts }) => receipts['say-wait'] !== undefined);
    opened.resolve(undefined);

    const view = await task.handle.result();
    expect(view.reply?.parts).toEqual([{ text: 'heard 1' }]);
    expect(turns).toEqual([0, 1]);
  });
});

describe('two different answers at the same time', () => {
  it('settle the question once: one is taken, the other refused, and history says which', async () => {
    for (let round = 0; round < 8; round += 1) {
      const heard: unknown[] = [];
      await using rig = await startTaskRig({
        ask: async ({ answers }) => {
          if (answers['colour'] === undefined) {
            return { outcome: 'ask', ask: { id: 'colour', kind: 'free_text', message: 'Which colour?' } };
          }
          heard.push(answers['colour']);
          return done(answers['colour'] as string);
        },
      });
      const task = await rig.start(
        publicationOf({ id: 'two', stages: [stageOf('ask', { gates: ['free_text'], callerAnswerable: true })] }),
      );
      await task.until(({ questions }) => questions.length === 1);
      const sent = await Promise.allSettled(['blue', 'green'].map((colour) => task.say(colour)));

      const view = await task.handle.result();
      const receipts = Object.values(view.receipts);
      expect(receipts.filter(({ outcome }) => outcome === 'answered')).toHaveLength(1);
      // The later one may find the task ended: then its sender was told so.
      const arrived = sent.filter(({ status }) => status === 'fulfilled').length;
      expect(receipts.filter(({ outcome }) => outcome === 'refused')).toHaveLength(arrived - 1);
      const taken = receipts.find(({ outcome }) => outcome === 'answered')?.id.replace('say-', '');
      expect(heard).toEqual([taken]);
      expect(saidIn(view)).toEqual(['Which colour?', taken]);
    }
  });
});

describe('a stage that needs an authorisation', () => {
  it('shows AUTH_REQUIRED and runs again with the message that follows', async () => {
    await using rig = await startTaskRig({
      work: async ({ followUps, turn }) =>
        turn === 0
          ? { outcome: 'auth-required', message: 'Log in at example.org' }
          : done(`resumed by ${followUps.map(({ messageId }) => messageId).join()}`),
    });
    const task = await rig.start(publicationOf({ id: 'auth', stages: [stageOf('work')] }));
    const waiting = await task.until(({ task: { status } }) => status.state === 'TASK_STATE_AUTH_REQUIRED');
    expect(waiting.task.status.message?.parts[0]?.text).toBe('Log in at example.org');
    await task.say('done');

    const view = await task.handle.result();
    expect(view.task.status.message?.parts[0]?.text).toBe('resumed by say-done');
    expect(view.receipts['say-done']).toMatchObject({ outcome: 'queued' });
  });

  it('shows it again after a question of another stage was answered', async () => {
    await using rig = await startTaskRig({
      login: async ({ turn }) => (turn === 0 ? { outcome: 'auth-required', message: 'Log in' } : done('in')),
      ask: async ({ answers }) =>
        answers['q'] === undefined
          ? { outcome: 'ask', ask: { id: 'q', kind: 'free_text', message: 'Which?' } }
          : done('ok'),
      end: async () => done('end'),
    });
    const task = await rig.start(
      publicationOf({
        id: 'both',
        stages: [
          stageOf('login'),
          stageOf('ask', { gates: ['free_text'], callerAnswerable: true }),
          stageOf('end', { needs: ['login', 'ask'] }),
        ],
      }),
    );
    const both = await task.until(({ questions, task: { history } }) => questions.length === 1 && history.length === 1);
    await task.answer(both.questions[0]?.requestId ?? '', { kind: 'free_text', text: 'this' }, 'caller');
    await task.until(
      ({ task: { status } }) =>
        status.state === 'TASK_STATE_AUTH_REQUIRED' && status.message?.parts[0]?.text === 'Log in',
    );
    await task.until(({ questions, receipts }) => questions.length === 0 && Object.keys(receipts).length === 1);
    await task.say('in');
    expect((await task.handle.result()).task.status.state).toBe('TASK_STATE_COMPLETED');
  });
});

describe('stages side by side', () => {
  it('leave a question in sight while others report progress', async () => {
    const opened = gate();
    await using rig = await startTaskRig({
      ask: async ({ answers }) =>
        answers['q'] === undefined
          ? { outcome: 'ask', ask: { id: 'q', kind: 'free_text', message: 'Which?' } }
          : done('ok'),
      side: async (_run, _facts, _upstream, { progress }) => {
        await opened.promise;
        await progress({ text: 'half', percent: 50, at: new Date().toISOString() });
        return done('side');
      },
      end: async () => done('end'),
    });
    const task = await rig.start(
      publicationOf({
        id: 'sides',
        stages: [
          stageOf('ask', { gates: ['free_text'], callerAnswerable: true }),
          stageOf('side'),
          stageOf('end', { needs: ['ask', 'side'] }),
        ],
      }),
    );
    const asking = await task.until(({ questions }) => questions.length === 1);
    opened.resolve(undefined);
    const later = await task.until(({ runs }) => runs['side']?.closed === true);
    expect(later.task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(later.task.status.message).toEqual(asking.task.status.message);
    await task.say('this');
    expect((await task.handle.result()).task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('asking both refuse a message that says not which, and take answers by their IDs', async () => {
    const ask = async ({ answers }: { answers: Readonly<Record<string, unknown>> }): Promise<StageOutcome> =>
      answers['q'] === undefined
        ? { outcome: 'ask', ask: { id: 'q', kind: 'free_text', message: 'Which?' } }
        : done('ok');
    await using rig = await startTaskRig({ a: ask, b: ask, end: async () => done('end') });
    const asks = { gates: ['free_text'], callerAnswerable: true } as const;
    const task = await rig.start(
      publicationOf({
        id: 'pair',
        stages: [stageOf('a', asks), stageOf('b', asks), stageOf('end', { needs: ['a', 'b'] })],
      }),
    );
    const { questions } = await task.until((view) => view.questions.length === 2);
    await task.say('this');
    const refused = await task.until(({ receipts }) => receipts['say-this'] !== undefined);
    expect(refused.receipts['say-this']).toMatchObject({
      outcome: 'refused',
      reason: 'several-questions',
      requestIds: questions.map(({ requestId }) => requestId),
    });
    for (const { requestId } of questions) await task.answer(requestId, { kind: 'free_text', text: 'x' }, 'caller');
    expect((await task.handle.result()).task.status.state).toBe('TASK_STATE_COMPLETED');
  });
});

it('takes a message that comes with the start', async () => {
  const opened = gate();
  await using rig = await startTaskRig({ work: async () => (await opened.promise, done('done')) });
  const early = { messageId: 'early', role: 'ROLE_USER', parts: [{ text: 'early' }] } as const;
  const task = await rig.start(publicationOf({ id: 'early', stages: [stageOf('work', { followUps: true })] }), {
    signal: { id: 'early', contentHash: 'h', by: 'caller', at: new Date().toISOString(), message: early },
  });
  const view = await task.until(({ receipts }) => receipts['early'] !== undefined);
  // Its stage has not begun when it is looked at: it is told so, not lost.
  expect(view.receipts['early']).toMatchObject({ outcome: 'refused', reason: 'not-waiting' });
  await task.handle.signal(messageSignal, {
    id: 'early',
    contentHash: 'h',
    by: 'caller',
    at: new Date().toISOString(),
    message: early,
  });
  opened.resolve(undefined);
  expect((await task.handle.result()).receipts['early']).toMatchObject({ outcome: 'refused' });
});
