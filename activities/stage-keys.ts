/** Names that are the same over all tries of a stage, so that a retry hits what the try before it made. */
import { createHash } from 'node:crypto';

/** One stage of one task, or one element of it. */
export interface StagePlace {
  readonly taskId: string;
  readonly stageId: string;
  readonly element?: number;
}

/** The artifact that `stream` appends to unless told otherwise; it is the answer of a plain skill. */
export const ANSWER = 'answer';

/** The artifact that shows a stage's payload. */
export const RESULT = 'result';

/** The payload as a file, when it is too large to be data of the task. */
export const RESULT_FILE = { artifactId: RESULT, name: 'result.json', mediaType: 'application/json' } as const;

export function idempotencyKeyOf(place: StagePlace): string {
  return hash(['stage', place.taskId, place.stageId, place.element ?? null]);
}

export function artifactIdOf(place: StagePlace, name: string): string {
  if (name === ANSWER) return ANSWER;
  return hash(['artifact', place.taskId, place.stageId, place.element ?? null, name]).slice(0, 32);
}

function hash(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
