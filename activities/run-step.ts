import type { ArtifactRef } from '../src/domain/envelope.ts';
import type { Json } from '../src/domain/json.ts';
import type { StageArtifacts } from './stage-artifacts.ts';
import type { StageMemory } from './stage-memory.ts';
import { isStillGiven } from './step-basis.ts';
import type { StepBasis } from './step-basis.ts';
import { toJson } from './to-json.ts';

/** How a step is kept. */
interface StepRecord {
  /** Absent when the step returned nothing. */
  readonly value?: Json;
  readonly artifacts: readonly ArtifactRef[];
  /** Absent in what older versions wrote. */
  readonly basis?: StepBasis;
}

/**
 * `step(name, work)`: done once for the stage and what it was given; the same name at the same time is the same step.
 * `basis` tells what the stage is given now.
 */
export function createRunStep(memory: StageMemory, artifacts: StageArtifacts, basis: StepBasis) {
  const running = new Map<string, Promise<Json | undefined>>();

  async function runOrRecall(name: string, work: () => unknown): Promise<Json | undefined> {
    const known = await memory.read('step', name);
    const record = known?.value as unknown as StepRecord | undefined;
    if (record !== undefined && (record.basis === undefined || isStillGiven(record.basis, basis))) {
      const { value, artifacts: refs } = record;
      for (const ref of refs) artifacts.record(ref.name, ref);
      return value;
    }
    const { result, refs } = await artifacts.during(async () => work());
    // What the executor gets is the copy, so that it sees the same the first time and ever after.
    const value = result === undefined ? undefined : toJson(result, `The result of step "${name}"`);
    const done: StepRecord = { ...(value !== undefined && { value }), artifacts: refs, basis };
    await memory.write('step', name, done as unknown as Json);
    return value;
  }

  return function runStep(name: string, work: () => unknown): Promise<Json | undefined> {
    if (typeof name !== 'string' || name === '') throw new TypeError('step(name, work): the name must be a text');
    if (typeof work !== 'function') throw new TypeError(`step("${name}", work): work must be a function`);
    const before = running.get(name);
    if (before !== undefined) return before;
    const step = runOrRecall(name, work).finally(() => running.delete(name));
    running.set(name, step);
    return step;
  };
}
