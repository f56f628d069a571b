import { createHash } from 'node:crypto';
import type { KeptEnvelope } from '../src/domain/envelope.ts';
import type { StageRun, TaskFacts } from '../src/domain/stage-run.ts';

/** What a stage had been given when it did a step: hashes, by the name of each thing. */
export type StepBasis = Readonly<Record<string, string>>;

interface GivenToStage {
  readonly run: Pick<StageRun, 'item' | 'itemAt' | 'answers' | 'followUps'>;
  readonly facts: Pick<TaskFacts, 'message' | 'inputForm'>;
  readonly upstream: Readonly<Record<string, KeptEnvelope>>;
}

/**
 * While a task goes on, a stage is only ever given more: answers and follow-ups are added. An operator who resets the task can
 * change what is there, and what was found by that does not hold any more.
 */
export function isStillGiven(before: StepBasis, now: StepBasis): boolean {
  return Object.entries(before).every(([name, hash]) => Object.hasOwn(now, name) && now[name] === hash);
}

/** To be made before the executor runs, which may change what it is given. What is kept elsewhere is named by its own hash. */
export function stepBasisOf({ run, facts, upstream }: GivenToStage): StepBasis {
  return Object.fromEntries([
    ['input', hashOf([facts.message.parts, facts.inputForm, run.item ?? run.itemAt ?? null, upstream])],
    ...Object.entries(run.answers).map(([id, answer]) => [`answer:${id}`, hashOf(answer)]),
    ...run.followUps.map(({ messageId, parts }) => [`message:${messageId}`, hashOf(parts)]),
  ]) as StepBasis;
}

/** Short: it stands in every step's record, once for each answer. */
function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}
