import { describe, expect, it } from '@jest/globals';
import { ELEMENT_INLINE_BYTES_MAX, keepEnvelope, loadEnvelope } from '../../activities/keep-envelope.ts';
import { loadStageInput } from '../../activities/stage-input.ts';
import type { Envelope } from '../../src/domain/envelope.ts';
import type { Json } from '../../src/domain/json.ts';
import type { StageOutcome } from '../../src/domain/stage-run.ts';
import type { RunningTask, ScriptedStage, ScriptHelpers, TaskRig } from '../support/task-rig.ts';
import { publicationOf, stageOf, startTaskRig } from '../support/task-rig.ts';

const ELEMENTS = Array.from({ length: 12 }, (_, index) => `${index}`.padEnd(80_000, 'x'));
const stages = [
  stageOf('list'),
  stageOf('each', { needs: ['list'], forEach: '/list/payload/elements' }),
  stageOf('end', { needs: ['each'] }),
];

/** As a worker hands on what a stage has made. */
const keeping = async ({ kept }: ScriptHelpers, envelope: Envelope): Promise<StageOutcome> => ({
  outcome: 'envelope',
  envelope: await keepEnvelope(kept, envelope, ELEMENT_INLINE_BYTES_MAX),
});
const made = (summary: string, payload?: Json): Envelope => ({
  summary,
  artifacts: [],
  ...(payload !== undefined && { payload }),
});
const lists =
  (elements: Json): ScriptedStage =>
  (_run, _facts, _upstream, helpers) =>
    keeping(helpers, made('list', { elements }));
const each: ScriptedStage = async (run, facts, upstream, helpers) => {
  const { item } = await loadStageInput(helpers.kept, run, facts, upstream);
  return keeping(helpers, made(`each ${run.element ?? ''}`, item));
};
const end: ScriptedStage = async (_run, _facts, upstream, helpers) => {
  const joined = await loadEnvelope(helpers.kept, upstream['each']!);
  const isWhole = (joined.payload as unknown as Envelope[]).every(({ payload }, index) => payload === ELEMENTS[index]);
  return { outcome: 'envelope', envelope: made('end', { isWhole, count: (joined.payload as Json[]).length }) };
};
const start = (rig: TaskRig): Promise<RunningTask> => rig.start(publicationOf({ id: 'large', stages }));

describe('a long list of large elements', () => {
  it('is worked on in order, and none of it goes through the workflow', async () => {
    await using rig = await startTaskRig({ list: lists(ELEMENTS), each, end });
    const task = await start(rig);

    const { task: view } = await task.handle.result();
    expect(view.artifacts[0]?.parts[0]?.data).toEqual({ isWhole: true, count: 12 });
    const { events } = await task.handle.fetchHistory();
    const sizes = (events ?? []).map((event) => JSON.stringify(event).length);
    expect(Math.max(...sizes)).toBeLessThan(20_000);
  });

  it('that is no list, or is too long, ends the task with the reason', async () => {
    for (const [elements, why] of [
      ['x'.repeat(20_000), 'is not a list'],
      [Array<number>(10_001).fill(0), 'has 10001 elements, and 10000 is the limit'],
    ] as const) {
      await using rig = await startTaskRig({ list: lists(elements), each, end });
      const task = await start(rig);
      await expect(task.handle.result()).rejects.toThrow();
      const { status } = (await task.view()).task;
      expect(status.message?.metadata).toMatchObject({ reason: 'output-invalid' });
      expect(status.message?.parts[0]?.text).toBe(`Stage each: for_each /list/payload/elements ${why}`);
    }
  });

  it('behind a gate is laid out when the gate is passed', async () => {
    const gated = stages.map((stage) =>
      stage.id === 'each' ? { ...stage, gate: { kind: 'confirm', message: 'Go on?' } as const } : stage,
    );
    await using rig = await startTaskRig({ list: lists(ELEMENTS), each, end });
    const task = await rig.start(publicationOf({ id: 'gated', stages: gated }));
    const { questions } = await task.until((view) => view.questions.length === 1);
    await task.answer(questions[0]?.requestId ?? '', { kind: 'confirm', decision: 'accept' });
    expect((await task.handle.result()).task.artifacts[0]?.parts[0]?.data).toEqual({ isWhole: true, count: 12 });
  });
});

it('what a task is given with its message is too much to be handed over to all elements at once', async () => {
  const text = 'x'.repeat(1_000_000);
  await using rig = await startTaskRig({
    list: async () => ({ outcome: 'envelope', envelope: made('list', { elements: [1, 2, 3, 4, 5, 6] }) }),
    each: async (run, { message }) => ({
      outcome: 'envelope',
      envelope: made(`${run.element ?? ''} ${message.parts[0]?.text?.length ?? 0}`),
    }),
    end: async (_run, _facts, upstream) => ({ outcome: 'envelope', envelope: made(upstream['each']?.summary ?? '') }),
  });
  const task = await rig.start(publicationOf({ id: 'message', stages }), { text });
  const { task: view } = await task.handle.result();
  const lines = [0, 1, 2, 3, 4, 5].map((index) => `${index} 1000000`);
  expect(view.status.message?.parts[0]?.text).toBe(lines.join('\n'));
});
