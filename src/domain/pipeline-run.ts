/**
 * Where a pipeline stands, and what comes next: decisions only, no effects. Plain JSON, replaced rather than changed, so
 * that it can be carried over continue-as-new.
 */
import type { Message } from './a2a.ts';
import { type Element, elementsAt, joinEnvelopes, sourceOf } from './elements.ts';
import { isEnvelopeRef, type KeptEnvelope } from './envelope.ts';
import type { Json } from './json.ts';
import type { KeptItem } from './kept.ts';
import { ancestorsOf } from './pipeline-graph.ts';
import type { Pipeline, Stage } from './pipeline.ts';
import { own } from './own.ts';
import { type Answer, answerValue } from './question.ts';

/** The answer to a stage's own `gate` stands among its answers under this name. */
export const GATE_ASK_ID = 'gate';

export interface PipelineRun {
  /** Only stages that have begun; keys are stage IDs. */
  readonly stages: Readonly<Record<string, StageProgress>>;
}

export interface StageProgress {
  readonly gate: 'none' | 'asking' | 'passed';
  readonly gateAnswer?: Json;
  /** One for a plain stage; one per element for `for_each`; none before the gate is passed. */
  readonly elements: readonly ElementProgress[];
  /** An activity lays out the elements of a large list, or joins large envelopes of its elements. */
  readonly step?: 'laying-out' | 'joining';
  /** Set when the stage is done. */
  readonly envelope?: KeptEnvelope;
}

export interface ElementProgress {
  readonly phase: 'ready' | 'running' | 'asking' | 'authorizing' | 'done';
  /** What the caller is asked to authorise, while `authorizing`. */
  readonly authorization?: string;
  readonly turn: number;
  readonly answers: Readonly<Record<string, Json>>;
  readonly followUps: readonly Message[];
  /** Of `followUps`, how many the last run was given. */
  readonly followUpsRead: number;
  /** Working time so far, against the stage's timeout. */
  readonly workedMs: number;
  /** Under `for_each` one of these: the element, or where it is kept. */
  readonly item?: Json;
  readonly itemAt?: KeptItem;
  readonly envelope?: KeptEnvelope;
}

/** Names one run of a stage. */
export interface RunRef {
  readonly stageId: string;
  readonly element?: number;
}

export type Work =
  | { readonly do: 'ask-gate'; readonly stage: Stage }
  | { readonly do: 'open'; readonly stage: Stage }
  | { readonly do: 'run'; readonly stage: Stage; readonly ref: RunRef }
  | { readonly do: 'close'; readonly stage: Stage };

export const emptyRun: PipelineRun = { stages: {} };

/** What can be done now, in the pipeline's order. Empty while everything waits, and when all is done. */
export function nextWork(pipeline: Pipeline, run: PipelineRun): readonly Work[] {
  return pipeline.stages.flatMap((stage) => workOf(stage, run));
}

function workOf(stage: Stage, run: PipelineRun): readonly Work[] {
  const progress = own(run.stages, stage.id);
  if (progress === undefined) {
    const isReady = stage.needs.every((id) => own(run.stages, id)?.envelope !== undefined);
    if (!isReady) return [];
    return [stage.gate === undefined ? { do: 'open', stage } : { do: 'ask-gate', stage }];
  }
  if (progress.envelope !== undefined || progress.gate === 'asking' || progress.step !== undefined) return [];
  if (progress.elements.every(({ phase }) => phase === 'done')) return [{ do: 'close', stage }];

  const busy = progress.elements.filter(({ phase }) => phase === 'running').length;
  const ready = progress.elements.flatMap((element, index) => (element.phase === 'ready' ? [index] : []));
  return ready
    .slice(0, Math.max(0, stage.sideBySide - busy))
    .map((index) => ({ do: 'run', stage, ref: refOf(stage, index) }));
}

function refOf(stage: Stage, index: number): RunRef {
  return stage.forEach === undefined ? { stageId: stage.id } : { stageId: stage.id, element: index };
}

export function isDone(pipeline: Pipeline, run: PipelineRun): boolean {
  return pipeline.stages.every(({ id }) => own(run.stages, id)?.envelope !== undefined);
}

export function runningCount(run: PipelineRun): number {
  return Object.values(run.stages).reduce(
    (count, { elements }) => count + elements.filter(({ phase }) => phase === 'running').length,
    0,
  );
}

export function elementOf(run: PipelineRun, ref: RunRef): ElementProgress {
  const element = own(run.stages, ref.stageId)?.elements[ref.element ?? 0];
  if (element === undefined) throw new RangeError(`no run of stage ${ref.stageId} at ${String(ref.element ?? 0)}`);
  return element;
}

export function withElement(run: PipelineRun, ref: RunRef, change: Partial<ElementProgress>): PipelineRun {
  const stage = own(run.stages, ref.stageId);
  const changed = { ...elementOf(run, ref), ...change };
  if (stage === undefined) throw new RangeError(`stage ${ref.stageId} has not begun`);
  const elements = stage.elements.map((each, index) => (index === (ref.element ?? 0) ? changed : each));
  return withStage(run, ref.stageId, { ...stage, elements });
}

function withStage(run: PipelineRun, stageId: string, progress: StageProgress): PipelineRun {
  return { ...run, stages: { ...run.stages, [stageId]: progress } };
}

/** The stage waits for its own gate. */
export function askingGate(run: PipelineRun, stage: Stage): PipelineRun {
  return withStage(run, stage.id, { gate: 'asking', elements: [] });
}

export function isRejection(answer: Answer): boolean {
  return answer.kind === 'confirm' && answer.decision === 'reject';
}

/** A stage of a gate and no executor is done with the answer. */
export function passGate(run: PipelineRun, stage: Stage, answer: Answer): PipelineRun {
  const value = answerValue(answer);
  if (stage.executor !== undefined) {
    return openStage(withStage(run, stage.id, { gate: 'passed', gateAnswer: value, elements: [] }), stage);
  }
  const summary = answer.kind === 'free_text' ? answer.text : (answer.text ?? 'Accepted');
  return withStage(run, stage.id, {
    gate: 'passed',
    gateAnswer: value,
    elements: [],
    envelope: { summary, payload: value, artifacts: [] },
  });
}

/**
 * Lays out the stage's runs: one, or one per element. Where the list is kept in the store it is for an activity to lay them
 * out: then the stage's `step` says so, and `layOutStage` goes on with what it finds.
 * @throws {ElementsError} when `for_each` points to nothing that has elements
 */
export function openStage(run: PipelineRun, stage: Stage): PipelineRun {
  const before = own(run.stages, stage.id) ?? { gate: 'none', elements: [] };
  if (stage.forEach === undefined) return withStage(run, stage.id, { ...before, elements: [freshElement(before)] });
  const source = own(run.stages, sourceOf(stage.forEach))?.envelope;
  if (source !== undefined && isEnvelopeRef(source)) {
    return withStage(run, stage.id, { ...before, elements: [], step: 'laying-out' });
  }
  const items = elementsAt(source, stage.forEach);
  return layOutStage(
    run,
    stage,
    items.map((item) => ({ item })),
  );
}

export function layOutStage(run: PipelineRun, stage: Stage, found: readonly Element[]): PipelineRun {
  const { step: _, ...before } = own(run.stages, stage.id) ?? { gate: 'none', elements: [] };
  const fresh = freshElement(before);
  return withStage(run, stage.id, { ...before, elements: found.map((element) => ({ ...fresh, ...element })) });
}

function freshElement({ gateAnswer }: StageProgress): ElementProgress {
  return {
    phase: 'ready',
    turn: 0,
    answers: gateAnswer === undefined ? {} : { [GATE_ASK_ID]: gateAnswer },
    followUps: [],
    followUpsRead: 0,
    workedMs: 0,
  };
}

/** Joined envelopes of more characters are joined by an activity. */
const JOINED_CHARACTERS_MAX = 8_192;

/**
 * The envelope of a stage whose runs are all done. Where those of its elements are too large for the workflow, an activity
 * joins them: then the stage's `step` says so, and `joinStage` takes what it made.
 */
export function closeStage(run: PipelineRun, stage: Stage): PipelineRun {
  const progress = own(run.stages, stage.id) ?? { gate: 'none', elements: [] };
  const envelopes = elementEnvelopes(progress);
  const [only] = envelopes;
  if (stage.forEach === undefined && only !== undefined) return joinStage(run, stage, only);
  const whole = envelopes.flatMap((envelope) => (isEnvelopeRef(envelope) ? [] : [envelope]));
  const isSmall = whole.length === envelopes.length && JSON.stringify(whole).length <= JOINED_CHARACTERS_MAX;
  return isSmall
    ? joinStage(run, stage, joinEnvelopes(whole))
    : withStage(run, stage.id, { ...progress, step: 'joining' });
}

/** The elements' envelopes are in the stage's now: kept once. */
export function joinStage(run: PipelineRun, stage: Stage, envelope: KeptEnvelope): PipelineRun {
  return withStage(run, stage.id, { gate: own(run.stages, stage.id)?.gate ?? 'none', elements: [], envelope });
}

export function elementEnvelopes({ elements }: StageProgress): readonly KeptEnvelope[] {
  return elements.flatMap(({ envelope }) => (envelope === undefined ? [] : [envelope]));
}

/** Envelopes of everything that the stage stands on, near and far. */
export function upstreamOf(pipeline: Pipeline, run: PipelineRun, stage: Stage): Readonly<Record<string, KeptEnvelope>> {
  const ancestors = ancestorsOf(pipeline.stages, stage.id);
  return Object.fromEntries(
    pipeline.stages.flatMap(({ id }) => {
      const envelope = ancestors.has(id) ? own(run.stages, id)?.envelope : undefined;
      return envelope === undefined ? [] : [[id, envelope]];
    }),
  );
}
