/** What A2A 1.0 §10 wraps answers in: nothing, and errors in a status. */
import { Metadata, type StatusObject, status as codes } from '@grpc/grpc-js';
import type { A2AErrorView } from '../a2a/to-a2a-error.ts';
import { encodeRpcStatus } from './rpc-status.ts';

/** A2A 1.0 §10.6. */
export function toGrpcStatus({ status, message, details }: A2AErrorView, requestId: string): StatusObject {
  const code = codes[status];
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', encodeRpcStatus(code, message, details));
  metadata.set('x-request-id', requestId);
  return { code, details: message, metadata };
}
