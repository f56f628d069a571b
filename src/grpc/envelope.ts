/** What A2A 1.0 §10 wraps answers in: nothing, and errors in a status. */
import { A2A_ERROR_CODE } from '@a2a-js/sdk/errors';
import { Metadata, type StatusObject, status as codes } from '@grpc/grpc-js';
import type { A2AErrorView } from '../a2a/to-a2a-error.ts';
import { encodeRpcStatus } from './rpc-status.ts';

/** The code of an error's status, in one version of the protocol. */
export type CodeOf = (error: A2AErrorView) => codes;

/** A2A 1.0 §5.4. */
export const codeOf: CodeOf = ({ status }) => codes[status];

/** What an agent does not do was not implemented in A2A 0.3, and its clients tell by that. */
export const legacyCodeOf: CodeOf = (error) =>
  error.code === A2A_ERROR_CODE.UNSUPPORTED_OPERATION || error.code === A2A_ERROR_CODE.PUSH_NOTIFICATION_NOT_SUPPORTED
    ? codes.UNIMPLEMENTED
    : codeOf(error);

/** A2A 1.0 §10.6. */
export function toGrpcStatus(code: codes, { message, details }: A2AErrorView, requestId: string): StatusObject {
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', encodeRpcStatus(code, message, details));
  metadata.set('x-request-id', requestId);
  return { code, details: message, metadata };
}
