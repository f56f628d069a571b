import { describe, expect, it } from '@jest/globals';
import { ApplicationFailure, Context } from '@temporalio/activity';
import { WorkflowFailedError } from '@temporalio/client';
import type { Task } from '../../src/domain/a2a.ts';
import type { Envelope } from '../../src/domain/envelope.ts';
import { inputOf } from '../../src/domain/task-input.ts';
import type { StageOutcome } from '../../src/domain/stage-run.ts';
import { STAGE_FAILURE } from '../../src/domain/stage-run.ts';
import { publicationOf, stageOf, startTaskRig } from '../support/task-rig.ts';

const done = (summary: string): StageOutcome => ({
  outcome: 'envelope',
  envelope: { summary, artifacts: [] },
});
const textOfStatus = (task: Task): string | undefined => task.status.message?.parts[0]?.text;

describe('taskWorkflow', () => {
  it('answers a plain skill with its summary, in few events', async () => {
    await using rig = await startTaskRig({
      echo: (_run, facts) => Promise.resolve(done(`heard ${JSON.stringify(inputOf(facts.message, facts.inputForm))}`)),
    });
    const publication = publicationOf({ id: 'echo', stages: [stageOf('echo')] }, { plain: true });
    const task = await rig.start(publication, { text: 'hi' });

    const view = await task.handle.result();

    expect(view.task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(view.task.artifacts).toEqual([
      {
        artifactId: 'answer',
        name: 'answer',
        parts: [{ text: 'heard {"text":"hi","parts":[{"text":"hi"}]}', mediaType: 'text/plain' }],
      },
    ]);
    const { events } = await task.handle.fetchHistory();
    expect(events?.length).toBeLessThanOrEqual(25);
  });

  it('asks the caller, takes the answer once, and refuses what comes to no question', async () => {
    await using rig = await startTaskRig({
      ask: (run) =>
        Promise.resolve<StageOutcome>(
          run.answers['colour'] === undefined
            ? { outcome: 'ask', ask: { id: 'colour', kind: 'free_text', message: 'Which colour?' } }
            : done(`You said ${run.answers['colour'] as string}`),
        ),
    });
    const publication = publicationOf({
      id: 'ask',
      stages: [stageOf('ask', { gates: ['free_text'], callerAnswerable: true })],
    });
    const task = await rig.start(publication);

    const asking = await task.until(({ questions }) => questions.length === 1);
    expect(asking.task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(textOfStatus(asking.task)).toBe('Which colour?');
    expect(asking.task.status.message?.metadata).toEqual({
      requestId: asking.questions[0]?.requestId,
      kind: 'input-request',
    });

    await task.say('blue');
    await task.say('blue');
    await task.say('green');
    const view = await task.handle.result();

    expect(textOfStatus(view.task)).toBe('You said blue');
    expect(view.receipts['say-blue']).toMatchObject({ outcome: 'answered' });
    expect(view.receipts['say-green']).toMatchObject({ outcome: 'refused', reason: 'not-waiting' });
    expect(view.task.history.map(({ role, parts }) => [role, parts[0]?.text])).toEqual([
      ['ROLE_USER', 'hello'],
      ['ROLE_AGENT', 'Which colour?'],
      ['ROLE_USER', 'blue'],
    ]);
  });

  it('runs a stage for each element, hands on the envelopes, and waits for an operator at a gate', async () => {
    const seen: string[] = [];
    await using rig = await startTaskRig({
      plan: () =>
        Promise.resolve<StageOutcome>({
          outcome: 'envelope',
          envelope: { summary: 'plan', payload: { questions: ['a', 'b', 'c'] }, artifacts: [] },
        }),
      gather: (run) => Promise.resolve(done(`${String(run.element)}:${run.item as string}`)),
      report: (_run, _facts, upstream) => {
        seen.push(...Object.keys(upstream));
        return Promise.resolve<StageOutcome>({
          outcome: 'envelope',
          envelope: { summary: 'report', payload: (upstream['gather'] as Envelope).payload ?? null, artifacts: [] },
        });
      },
    });
    const publication = publicationOf({
      id: 'research',
      stages: [
        stageOf('plan'),
        stageOf('gather', { needs: ['plan'], forEach: '/plan/payload/questions', sideBySide: 2 }),
        (({ executor: _, ...gate }) => gate)(
          stageOf('review', { needs: ['gather'], gate: { kind: 'confirm', message: 'Publish?' } }),
        ),
        stageOf('report', { needs: ['review'] }),
      ],
    });
    const task = await rig.start(publication);

    const { questions, task: waiting } = await task.until((view) => view.questions.length === 1);
    expect(waiting.status.state).toBe('TASK_STATE_WORKING');
    const [question] = questions;
    await task.say('Publish it, I say');
    await task.answer(question?.requestId ?? '', { kind: 'confirm', decision: 'accept' });
    const view = await task.handle.result();

    expect(view.receipts['say-Publish it, I say']).toMatchObject({ outcome: 'refused', reason: 'not-waiting' });
    expect(seen).toEqual(['plan', 'gather', 'review']);
    expect(view.task.artifacts[0]).toMatchObject({
      artifactId: 'result',
      parts: [{ data: [{ summary: '0:a' }, { summary: '1:b' }, { summary: '2:c' }] }],
    });
  });

  it('ends as FAILED when a gate is rejected', async () => {
    await using rig = await startTaskRig({ work: () => Promise.resolve(done('done')) });
    const publication = publicationOf({
      id: 'gated',
      stages: [stageOf('work', { gate: { kind: 'confirm', message: 'Go?' } })],
    });
    const task = await rig.start(publication);
    const { questions } = await task.until((view) => view.questions.length === 1);
    await task.answer(questions[0]?.requestId ?? '', { kind: 'confirm', decision: 'reject' });

    await expect(task.handle.result()).rejects.toThrow(WorkflowFailedError);
    const view = await task.view();
    expect(view.task.status.state).toBe('TASK_STATE_FAILED');
    expect(view.task.status.message?.metadata).toEqual({ reason: 'gate-rejected' });
    expect(view.questions).toEqual([]);
  });

  it('shows the caller no more of a failure than it may', async () => {
    await using rig = await startTaskRig({
      secret: () => {
        throw ApplicationFailure.create({
          message: 'connect to 10.0.0.1 failed',
          type: STAGE_FAILURE,
          nonRetryable: true,
          details: [{ reason: 'executor-failed' }],
        });
      },
    });
    const task = await rig.start(publicationOf({ id: 'secret', stages: [stageOf('secret')] }));

    await expect(task.handle.result()).rejects.toThrow(WorkflowFailedError);
    const view = await task.view();
    expect(textOfStatus(view.task)).toBe('Stage secret failed');
    expect(JSON.stringify(view)).not.toContain('10.0.0.1');
  });

  it('cancels the running stages before it says CANCELED', async () => {
    const stopped: string[] = [];
    await using rig = await startTaskRig({
      slow: async () => {
        const heartbeat = setInterval(() => Context.current().heartbeat(), 100);
        try {
          await Context.current().cancelled;
          throw new Error('unreachable');
        } finally {
          clearInterval(heartbeat);
          stopped.push('slow');
        }
      },
    });
    const task = await rig.start(publicationOf({ id: 'slow', stages: [stageOf('slow')] }), {
      limits: { heartbeatTimeoutMs: 1000 },
    });
    await task.until(({ task: { status } }) => status.state === 'TASK_STATE_WORKING');
    await task.handle.cancel();

    await expect(task.handle.result()).rejects.toThrow(WorkflowFailedError);
    expect(stopped).toEqual(['slow']);
    expect((await task.handle.describe()).status.name).toBe('CANCELLED');
    expect((await task.view()).task.status.state).toBe('TASK_STATE_CANCELED');
  });

  it('loses nothing over continue-as-new', async () => {
    await using rig = await startTaskRig({
      loop: (run) => {
        const count = Object.keys(run.answers).length;
        return Promise.resolve<StageOutcome>(
          count < 6
            ? { outcome: 'ask', ask: { id: `q${count}`, kind: 'free_text', message: `Question ${count}` } }
            : done((Object.values(run.answers) as string[]).join(',')),
        );
      },
    });
    const publication = publicationOf({
      id: 'loop',
      stages: [stageOf('loop', { gates: ['free_text'], callerAnswerable: true })],
    });
    const task = await rig.start(publication, { limits: { historyEventsMax: 15 } });
    const first = (await task.handle.describe()).runId;
    for (let turn = 0; turn < 6; turn += 1) {
      await task.until(({ questions }) => questions[0]?.askId === `q${turn}`);
      await task.say(`a${turn}`);
    }
    const view = await task.handle.result();

    expect(textOfStatus(view.task)).toBe('a0,a1,a2,a3,a4,a5');
    expect(view.task.history).toHaveLength(13);
    const description = await task.handle.describe();
    expect(description.runId).not.toBe(first);
    expect(description.memo).toMatchObject({ start: { caller: 'alice' }, status: { state: 'TASK_STATE_COMPLETED' } });
  });
});
