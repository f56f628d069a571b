import { inspect } from 'node:util';
import { ApplicationFailure } from '@temporalio/common';
import { STAGE_FAILURE, type StageFailureDetail } from '../src/domain/stage-run.ts';
import { cutText } from './split-text.ts';
import { StageFailedError } from './stage-failed-error.ts';

/** A failure is part of a workflow's history and of every message about it: what an executor throws may be of any size. */
const MESSAGE_CHARACTERS_MAX = 8_000;
const PUBLIC_CHARACTERS_MAX = 2_000;
const STACK_CHARACTERS_MAX = 8_000;
const NAME_CHARACTERS_MAX = 200;
const CAUSES_MAX = 5;

export interface StageFailureView {
  readonly detail: StageFailureDetail;
  readonly retryable: boolean;
  /** Whether it uses up one of the stage's retries. */
  readonly isExecutors: boolean;
  /** For operators. */
  readonly error: Error;
}

/** Reads whatever was thrown: an Error, an object that looks like one, or anything else, also what throws when it is read. */
export function viewFailure(thrown: unknown): StageFailureView {
  try {
    return readFailure(thrown);
  } catch {
    const error = new Error('The executor threw something that cannot be read');
    return { detail: { reason: 'executor-failed' }, retryable: true, isExecutors: true, error };
  }
}

function readFailure(thrown: unknown): StageFailureView {
  const error = toError(thrown);
  if (thrown instanceof StageFailedError) {
    const { reason, retryable, isPublic } = thrown;
    const detail: StageFailureDetail = { reason, ...(isPublic && { publicMessage: error.message }) };
    return { detail, retryable, isExecutors: reason !== 'storage-unavailable', error };
  }
  const marks = marksOf(thrown);
  const detail: StageFailureDetail = {
    reason: 'executor-failed',
    ...(marks.expose && { publicMessage: cutText(error.message, PUBLIC_CHARACTERS_MAX) }),
  };
  return { detail, retryable: marks.retryable, isExecutors: true, error };
}

export function toApplicationFailure(view: StageFailureView, mayRetry: boolean): ApplicationFailure {
  return ApplicationFailure.create({
    message: view.error.message,
    type: STAGE_FAILURE,
    nonRetryable: !mayRetry,
    details: [view.detail],
    cause: view.error,
  });
}

/** `expose` and `retryable` count on any object, as StageError may come from another copy of this package. */
function marksOf(thrown: unknown): { expose: boolean; retryable: boolean } {
  if (typeof thrown !== 'object' || thrown === null) return { expose: false, retryable: true };
  const { expose, retryable, nonRetryable } = thrown as Record<'expose' | 'retryable' | 'nonRetryable', unknown>;
  // Temporal's own ApplicationFailure says it the other way round.
  return { expose: expose === true, retryable: retryable !== false && nonRetryable !== true };
}

function toError(thrown: unknown, depth = 0): Error {
  if (!isErrorLike(thrown)) {
    return new Error(`The executor threw what is no Error: ${safeText(inspect(thrown), MESSAGE_CHARACTERS_MAX)}`);
  }
  const cause = thrown.cause != null && depth < CAUSES_MAX ? toError(thrown.cause, depth + 1) : undefined;
  const message = safeText(thrown.message, MESSAGE_CHARACTERS_MAX);
  const error = new Error(message, cause === undefined ? undefined : { cause });
  if (typeof thrown.name === 'string') error.name = safeText(thrown.name, NAME_CHARACTERS_MAX);
  error.stack = typeof thrown.stack === 'string' ? safeText(thrown.stack, STACK_CHARACTERS_MAX) : '';
  return error;
}

/** Half of a surrogate pair has no UTF-8 form: in the text of a failure it would end the whole worker, and the next one. */
function safeText(text: string, charactersMax: number): string {
  return cutText(text, charactersMax).toWellFormed();
}

/** Not `instanceof`: errors come from other realms (a vm context), and from `throw { message }`. */
function isErrorLike(value: unknown): value is { message: string; name?: unknown; stack?: unknown; cause?: unknown } {
  return typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string';
}
