import { isGrpcServiceError } from '@temporalio/client';
import { NamespaceNotFoundError, WorkflowNotFoundError } from '@temporalio/common';
import type { FailureKind } from '../../domain/failure.ts';
import { Failure } from '../../domain/failure.ts';
import { isTemporalAway } from '../connection.ts';

/** gRPC status codes that say something about the request, and what they mean for a task. */
const FAILURE_BY_GRPC_CODE: Readonly<Record<number, FailureKind>> = {
  5: 'task-not-found', // NOT_FOUND
  7: 'unavailable', // PERMISSION_DENIED: of ours, at Temporal, and so nothing that the caller could mend
  8: 'busy', // RESOURCE_EXHAUSTED
  16: 'unavailable', // UNAUTHENTICATED: the same
};

// Messages are for callers: no address, no namespace, no word of the server's own.
const MESSAGE_BY_KIND: Partial<Readonly<Record<FailureKind, string>>> = {
  'task-not-found': 'Task not found',
  unavailable: 'The service is not available for the moment',
  busy: 'Too many requests at the same time',
  'payload-too-large': 'The request is too large',
};

const RETRY_AFTER_SECONDS = 1;

/** The failure that an error of Temporal's client amounts to. An error that says nothing of the kind is given back. */
export function toTaskFailure(error: unknown): unknown {
  if (error instanceof Failure) return error;
  const kind = kindOf(error);
  if (kind === undefined) return error;
  return new Failure(kind, MESSAGE_BY_KIND[kind] ?? 'The request cannot be served', {
    cause: error,
    ...((kind === 'unavailable' || kind === 'busy') && { retryAfterSeconds: RETRY_AFTER_SECONDS }),
  });
}

export function isFailure(error: unknown, kind: FailureKind): boolean {
  return error instanceof Failure && error.kind === kind;
}

function kindOf(error: unknown): FailureKind | undefined {
  if (isTemporalAway(error)) return 'unavailable';
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Failure) return cause.kind; // of the payload store, in whatever the SDK wraps it
    if (cause instanceof NamespaceNotFoundError) return 'unavailable';
    if (cause instanceof WorkflowNotFoundError) return 'task-not-found';
    if (!isGrpcServiceError(cause)) continue;
    if (saysTooLarge(cause.details)) return 'payload-too-large';
    if (saysTooManySignals(cause.details)) return 'busy';
    if (saysNoNamespace(cause.details)) return 'unavailable';
    return FAILURE_BY_GRPC_CODE[cause.code];
  }
  return undefined;
}

// The server has one code for several refusals (INVALID_ARGUMENT, RESOURCE_EXHAUSTED, NOT_FOUND); its text tells them apart.

function saysTooLarge(details: string): boolean {
  return /larger than max|size exceeds limit|exceeds size limit/i.test(details);
}

/** A run takes 10,000 signals (Temporal's default); it has room again when it has continued as new. */
export function isOutOfSignals(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isGrpcServiceError(cause) && saysTooManySignals(cause.details)) return true;
  }
  return false;
}

function saysTooManySignals(details: string): boolean {
  return /limit for signal events/i.test(details);
}

function saysNoNamespace(details: string): boolean {
  return /^namespace .* (is )?not found/i.test(details);
}
