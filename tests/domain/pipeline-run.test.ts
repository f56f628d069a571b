import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ElementsError } from '../../src/domain/elements.ts';
import type { Envelope } from '../../src/domain/envelope.ts';
import type { Json } from '../../src/domain/json.ts';
import type { PipelineRun, RunRef } from '../../src/domain/pipeline-run.ts';
import {
  askingGate,
  closeStage,
  elementOf,
  emptyRun,
  isDone,
  isRejection,
  nextWork,
  openStage,
  passGate,
  runningCount,
  upstreamOf,
  withElement,
} from '../../src/domain/pipeline-run.ts';
import type { Pipeline, Stage } from '../../src/domain/pipeline.ts';
import { stageOf } from '../support/task-rig.ts';

const envelope = (summary: string, payload?: Json): Envelope => ({
  summary,
  artifacts: [],
  ...(payload !== undefined && { payload }),
});
const pipelineOf = (...stages: Stage[]): Pipeline => ({ id: 'p', stages });
const says = (pipeline: Pipeline, run: PipelineRun): readonly string[] =>
  nextWork(pipeline, run).map((work) =>
    work.do === 'run'
      ? `run ${work.ref.stageId}${work.ref.element === undefined ? '' : `/${work.ref.element}`}`
      : `${work.do} ${work.stage.id}`,
  );
const finish = (run: PipelineRun, ref: RunRef, made: Envelope = envelope('done')): PipelineRun =>
  withElement(run, ref, { phase: 'done', envelope: made });
const start = (run: PipelineRun, ref: RunRef): PipelineRun => withElement(run, ref, { phase: 'running' });
/** The stage opened, run and closed, with what it made. */
const done = (run: PipelineRun, stage: Stage, payload?: Json): PipelineRun =>
  closeStage(finish(openStage(run, stage), { stageId: stage.id }, envelope(stage.id, payload)), stage);

describe('nextWork', () => {
  it('walks a diamond: both arms side by side, the foot when both are done', () => {
    const [a, b, c, d] = [
      stageOf('a'),
      stageOf('b', { needs: ['a'] }),
      stageOf('c', { needs: ['a'] }),
      stageOf('d', { needs: ['b', 'c'] }),
    ];
    const pipeline = pipelineOf(a, b, c, d);
    expect(says(pipeline, emptyRun)).toEqual(['open a']);
    const ranA = done(emptyRun, a);
    expect(says(pipeline, ranA)).toEqual(['open b', 'open c']);
    const ranC = done(ranA, c);
    expect(says(pipeline, ranC)).toEqual(['open b']);
    const ranB = done(ranC, b);
    expect(says(pipeline, ranB)).toEqual(['open d']);
    expect(isDone(pipeline, ranB)).toBe(false);
    const all = done(ranB, d);
    expect(says(pipeline, all)).toEqual([]);
    expect(isDone(pipeline, all)).toBe(true);
  });

  it('runs as many elements side by side as the stage allows', () => {
    const each = stageOf('each', { needs: ['a'], forEach: '/a/payload', sideBySide: 2 });
    const pipeline = pipelineOf(stageOf('a'), each);
    let run = openStage(done(emptyRun, stageOf('a'), [1, 2, 3]), each);
    expect(says(pipeline, run)).toEqual(['run each/0', 'run each/1']);
    run = start(run, { stageId: 'each', element: 0 });
    run = start(run, { stageId: 'each', element: 1 });
    expect(says(pipeline, run)).toEqual([]);
    expect(runningCount(run)).toBe(2);
    run = withElement(run, { stageId: 'each', element: 0 }, { phase: 'asking' });
    expect(says(pipeline, run)).toEqual(['run each/2']);
    for (const element of [0, 1, 2]) run = finish(run, { stageId: 'each', element });
    expect(says(pipeline, run)).toEqual(['close each']);
  });

  it('waits while a stage runs, asks, or waits for authorisation', () => {
    const pipeline = pipelineOf(stageOf('a'), stageOf('b', { needs: ['a'] }));
    for (const phase of ['running', 'asking', 'authorizing'] as const) {
      expect(says(pipeline, withElement(openStage(emptyRun, stageOf('a')), { stageId: 'a' }, { phase }))).toEqual([]);
    }
  });

  it('asks a gate before the stage runs, and waits for the answer', () => {
    const gated = stageOf('a', { gate: { kind: 'confirm', message: 'Go?' } });
    const pipeline = pipelineOf(gated);
    expect(says(pipeline, emptyRun)).toEqual(['ask-gate a']);
    const asking = askingGate(emptyRun, gated);
    expect(says(pipeline, asking)).toEqual([]);
    expect(says(pipeline, passGate(asking, gated, { kind: 'confirm', decision: 'accept' }))).toEqual(['run a']);
  });

  it.each(['constructor', 'toString', '1', '01', '__proto__'])('walks stages named %s', (id) => {
    const [first, second] = [stageOf(id), stageOf('next', { needs: [id] })];
    const pipeline = pipelineOf(first, second);
    expect(says(pipeline, emptyRun)).toEqual([`open ${id}`]);
    const run = done(emptyRun, first, ['x']);
    expect(says(pipeline, run)).toEqual(['open next']);
    expect(Object.entries(upstreamOf(pipeline, run, second))).toEqual([[id, envelope(id, ['x'])]]);
    const carried = JSON.parse(JSON.stringify(run)) as PipelineRun;
    expect(says(pipeline, carried)).toEqual(['open next']);
  });

  it('comes to the end of any graph, needs before their stages', () => {
    const graphs = fc
      .array(fc.array(fc.nat(20), { maxLength: 4 }), { minLength: 1, maxLength: 12 })
      .map((needs) =>
        pipelineOf(
          ...needs.map((each, at) =>
            stageOf(`s${at}`, { needs: each.filter((need) => need < at).map((need) => `s${need}`) }),
          ),
        ),
      );
    fc.assert(
      fc.property(graphs, (pipeline) => {
        let run = emptyRun;
        const ran: string[] = [];
        for (let work = nextWork(pipeline, run); work.length > 0; work = nextWork(pipeline, run)) {
          for (const each of work) {
            if (each.do === 'open') run = openStage(run, each.stage);
            if (each.do === 'close') run = closeStage(run, each.stage);
            if (each.do !== 'run') continue;
            run = finish(run, each.ref);
            expect(each.stage.needs.filter((id) => !ran.includes(id))).toEqual([]);
            ran.push(each.stage.id);
          }
        }
        expect(isDone(pipeline, run)).toBe(true);
        expect(ran.toSorted()).toEqual(pipeline.stages.map(({ id }) => id).toSorted());
      }),
    );
  });
});

describe('for_each', () => {
  const source = stageOf('plan');
  const openAt = (forEach: string, payload: Json): PipelineRun =>
    openStage(done(emptyRun, source, payload), stageOf('each', { needs: ['plan'], forEach }));
  const itemsOf = (run: PipelineRun): readonly (Json | undefined)[] =>
    run.stages['each']?.elements.map(({ item }) => item) ?? [];

  it.each<[string, string, Json, readonly Json[]]>([
    ['the payload itself', '/plan/payload', ['a', null, 0], ['a', null, 0]],
    ['a property', '/plan/payload/questions', { questions: [{ q: 1 }] }, [{ q: 1 }]],
    ['a list in a list', '/plan/payload/1/list', [{}, { list: [7] }], [7]],
    ['a property with a slash and a tilde', '/plan/payload/a~1b~0c', { 'a/b~c': [1] }, [1]],
    ['a property named ~1', '/plan/payload/~01', { '~1': [1] }, [1]],
    ['a property without a name', '/plan/payload/', { '': [1] }, [1]],
    ['a property named like one of all objects', '/plan/payload/constructor', { constructor: [1] }, [1]],
  ])('runs for the elements of %s', (_name, pointer, payload, items) => {
    expect(itemsOf(openAt(pointer, payload))).toEqual(items);
  });

  it.each<[string, string, Json]>([
    ['nothing', '/plan/payload/ghost', {}],
    ['a text', '/plan/payload', 'abc'],
    ['a record', '/plan/payload', { 0: 'a', length: 1 }],
    ['null', '/plan/payload', null],
    ['behind null', '/plan/payload/a/b', { a: null }],
    ['the length of a list', '/plan/payload/length', [1]],
    ['what all lists inherit', '/plan/payload/concat', [1]],
    ['what all objects inherit', '/plan/payload/__proto__', {}],
    ['a list index with a leading zero', '/plan/payload/01', [[1], [2]]],
    ['a stage that has not run', '/ghost/payload', []],
    ['the stage as a whole', '/plan', []],
  ])('fails when it points to %s', (_name, pointer, payload) => {
    expect(() => openAt(pointer, payload)).toThrow(ElementsError);
  });

  it('closes an empty list at once, with an empty envelope', () => {
    const each = stageOf('each', { needs: ['plan'], forEach: '/plan/payload' });
    const pipeline = pipelineOf(source, each);
    const opened = openAt('/plan/payload', []);
    expect(says(pipeline, opened)).toEqual(['close each']);
    expect(closeStage(opened, each).stages['each']?.envelope).toEqual({ summary: '', payload: [], artifacts: [] });
  });

  it('hands on the envelopes in the order of the elements, whatever the order of their ends', () => {
    const each = stageOf('each', { needs: ['plan'], forEach: '/plan/payload' });
    let run = openAt('/plan/payload', ['a', 'b', 'c']);
    for (const element of [2, 0, 1]) run = finish(run, { stageId: 'each', element }, envelope(`e${element}`));
    const closed = closeStage(run, each).stages['each'];
    expect(closed?.envelope).toEqual({
      summary: 'e0\ne1\ne2',
      payload: [envelope('e0'), envelope('e1'), envelope('e2')],
      artifacts: [],
    });
    expect(closed?.elements).toEqual([]);
  });
});

describe('gates', () => {
  const gate = { kind: 'confirm', message: 'Go?' } as const;
  const { executor: _, ...onlyGate } = stageOf('a', { gate });

  it('with no executor the answer is the envelope', () => {
    const run = passGate(askingGate(emptyRun, onlyGate), onlyGate, {
      kind: 'confirm',
      decision: 'accept',
      text: 'Fine',
    });
    expect(run.stages['a']?.envelope).toEqual({
      summary: 'Fine',
      payload: { decision: 'accept', text: 'Fine' },
      artifacts: [],
    });
    expect(isDone(pipelineOf(onlyGate), run)).toBe(true);
  });

  it('with an executor the answer stands among its answers', () => {
    const stage = stageOf('a', { gate: { kind: 'free_text', message: 'Which?' } });
    const run = passGate(askingGate(emptyRun, stage), stage, { kind: 'free_text', text: 'blue' });
    expect(elementOf(run, { stageId: 'a' })).toMatchObject({ phase: 'ready', answers: { gate: 'blue' } });
  });

  it('before for_each the answer is that of each element', () => {
    const stage = stageOf('each', { needs: ['plan'], forEach: '/plan/payload', gate });
    const before = askingGate(done(emptyRun, stageOf('plan'), [1, 2]), stage);
    const run = passGate(before, stage, { kind: 'confirm', decision: 'accept' });
    expect(run.stages['each']?.elements.map(({ answers }) => answers)).toEqual([
      { gate: { decision: 'accept' } },
      { gate: { decision: 'accept' } },
    ]);
  });

  it.each([
    [{ kind: 'confirm', decision: 'reject' } as const, true],
    [{ kind: 'confirm', decision: 'accept' } as const, false],
    [{ kind: 'free_text', text: 'reject' } as const, false],
  ])('are rejected by %j: %s', (answer, expected) => {
    expect(isRejection(answer)).toBe(expected);
  });
});

describe('upstreamOf', () => {
  it('holds what a stage stands on, near and far, and nothing else', () => {
    const [a, b, c, d] = [stageOf('a'), stageOf('b', { needs: ['a'] }), stageOf('c'), stageOf('d', { needs: ['b'] })];
    const pipeline = pipelineOf(a, b, c, d);
    const run = [a, b, c].reduce((before, stage) => done(before, stage), emptyRun);
    expect(Object.keys(upstreamOf(pipeline, run, d))).toEqual(['a', 'b']);
    expect(upstreamOf(pipeline, run, c)).toEqual({});
  });
});

it('refuses to change a run that is not there', () => {
  const run = openStage(emptyRun, stageOf('a'));
  for (const ref of [{ stageId: 'ghost' }, { stageId: 'a', element: 1 }, { stageId: 'constructor' }]) {
    expect(() => withElement(run, ref, {})).toThrow(RangeError);
  }
});
