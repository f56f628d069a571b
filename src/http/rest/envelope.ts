/** What A2A 1.0 §11 wraps answers in: nothing, and errors in AIP-193's `error`. */
import type { A2AErrorView } from '../../a2a/to-a2a-error.ts';

export const REST_MEDIA_TYPE = 'application/a2a+json';

/** Statuses of HTTP alone, whose name does not follow from what the failure is called elsewhere. */
const STATUS_BY_HTTP: Readonly<Record<number, string>> = { 404: 'NOT_FOUND', 405: 'UNIMPLEMENTED' };

/** A2A 1.0 §11.6; `httpStatus` is the one that is sent. */
export function restErrorBody({ httpStatus, status, message, details }: A2AErrorView) {
  return { error: { code: httpStatus, status: STATUS_BY_HTTP[httpStatus] ?? status, message, details } };
}
