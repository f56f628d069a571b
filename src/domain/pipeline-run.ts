/**
 * Where a pipeline stands, and what comes next: decisions only, no effects. Plain JSON, replaced rather than changed, so
 * that it can be carried over continue-as-new.
 */
import type { Message } from './a2a.ts';
import type { Envelope } from './envelope.ts';
import type { Json } from './json.ts';
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
  /** Set when the stage is done. */
  readonly envelope?: Envelope;
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
  readonly item?: Json;
  readonly envelope?: Envelope;
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
  if (progress.envelope !== undefined || progress.gate === 'asking') return [];
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
 * Lays out the stage's runs: one, or one per element.
 * @throws {ElementsError} when `for_each` points to nothing that has elements
 */
export function openStage(run: PipelineRun, stage: Stage): PipelineRun {
  const before = own(run.stages, stage.id) ?? { gate: 'none', elements: [] };
  const answers: Readonly<Record<string, Json>> =
    before.gateAnswer === undefined ? {} : { [GATE_ASK_ID]: before.gateAnswer };
  const fresh: ElementProgress = {
    phase: 'ready',
    turn: 0,
    answers,
    followUps: [],
    followUpsRead: 0,
    workedMs: 0,
  };
  const elements =
    stage.forEach === undefined ? [fresh] : elementsAt(run, stage.forEach).map((item) => ({ ...fresh, item }));
  return withStage(run, stage.id, { ...before, elements });
}

export class ElementsError extends Error {}

function elementsAt(run: PipelineRun, pointer: string): readonly Json[] {
  const [stageId = '', ...path] = pointer.split('/').slice(1).map(unescapePointer);
  let value: unknown = own(run.stages, stageId)?.envelope;
  for (const key of path) {
    const isOwn = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    value = isOwn ? (value as Record<string, unknown>)[key] : undefined;
  }
  if (!Array.isArray(value)) throw new ElementsError(`for_each ${pointer} is not a list`);
  return value as readonly Json[];
}

/** RFC 6901 §4. */
function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The envelope of a stage whose runs are all done. */
export function closeStage(run: PipelineRun, stage: Stage): PipelineRun {
  const progress = own(run.stages, stage.id);
  const envelopes = progress?.elements.flatMap(({ envelope }) => (envelope === undefined ? [] : [envelope])) ?? [];
  const [only] = envelopes;
  const envelope: Envelope =
    stage.forEach === undefined && only !== undefined
      ? only
      : {
          summary: envelopes.map(({ summary }) => summary).join('\n'),
          payload: envelopes as unknown as Json,
          artifacts: envelopes.flatMap(({ artifacts }) => artifacts),
        };
  // The elements' envelopes are in the stage's now: kept once.
  return withStage(run, stage.id, { gate: progress?.gate ?? 'none', elements: [], envelope });
}

/** Envelopes of everything that the stage stands on, near and far. */
export function upstreamOf(pipeline: Pipeline, run: PipelineRun, stage: Stage): Readonly<Record<string, Envelope>> {
  const ancestors = ancestorsOf(pipeline.stages, stage.id);
  return Object.fromEntries(
    pipeline.stages.flatMap(({ id }) => {
      const envelope = ancestors.has(id) ? own(run.stages, id)?.envelope : undefined;
      return envelope === undefined ? [] : [[id, envelope]];
    }),
  );
}
