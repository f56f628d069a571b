/** What HTTP+JSON wraps answers in: nothing, and errors as each version of the protocol has it. */
import type { A2AErrorView } from '../../a2a/to-a2a-error.ts';
import { toLegacyError } from '../json-rpc/envelope.ts';

export const REST_MEDIA_TYPE = 'application/a2a+json';
/** Of A2A 0.3. */
export const LEGACY_MEDIA_TYPE = 'application/json';

/** Statuses of HTTP alone, whose name does not follow from what the failure is called elsewhere. */
const STATUS_BY_HTTP: Readonly<Record<number, string>> = { 404: 'NOT_FOUND', 405: 'UNIMPLEMENTED' };

/** A2A 1.0 §11.6; `httpStatus` is the one that is sent. */
export function restErrorBody({ httpStatus, status, message, details }: A2AErrorView) {
  return { error: { code: httpStatus, status: STATUS_BY_HTTP[httpStatus] ?? status, message, details } };
}

/** A2A 0.3 has the error object of JSON-RPC here, too. */
export const legacyRestErrorBody = toLegacyError;
