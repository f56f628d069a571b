import type { Message } from '../src/domain/a2a.ts';
import { elementOf, type PipelineRun, type RunRef, upstreamOf } from '../src/domain/pipeline-run.ts';
import type { Pipeline, Stage } from '../src/domain/pipeline.ts';

/** Characters of JSON. Temporal gives a workflow some seconds for one task, and inputs are written out within it. */
const CHARACTERS_MAX = 4_000_000;

/**
 * How much input the runs that start in one workflow task may have together. An element's input holds all that it stands on,
 * so that a long list of large elements would otherwise be written out once for each, at once. The first always has room.
 */
export class InputRoom {
  private readonly pipeline: Pipeline;
  private readonly factsCharacters: number;
  private readonly charactersByStage = new Map<string, number>();
  private taken = 0;

  /** @param message goes to every run */
  constructor(pipeline: Pipeline, message?: Message) {
    this.pipeline = pipeline;
    this.factsCharacters = sizeOf(message);
  }

  take(stage: Stage, ref: RunRef, run: PipelineRun): boolean {
    const { item, answers, followUps } = elementOf(run, ref);
    const own = sizeOf(item) + sizeOf(answers) + sizeOf(followUps);
    const characters = this.factsCharacters + this.charactersOf(stage, run) + own;
    if (this.taken > 0 && this.taken + characters > CHARACTERS_MAX) return false;
    this.taken += characters;
    return true;
  }

  private charactersOf(stage: Stage, run: PipelineRun): number {
    const known = this.charactersByStage.get(stage.id) ?? sizeOf(upstreamOf(this.pipeline, run, stage));
    this.charactersByStage.set(stage.id, known);
    return known;
  }
}

function sizeOf(value: unknown): number {
  return value === undefined ? 0 : JSON.stringify(value).length;
}
