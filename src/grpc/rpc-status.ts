import { BinaryWriter } from '@bufbuild/protobuf/wire';
import type { ErrorDetail } from '../a2a/to-a2a-error.ts';

type Detail<Type extends ErrorDetail['@type']> = Extract<ErrorDetail, { readonly '@type': Type }>;

/** How each kind of detail is written (google/rpc/error_details.proto). */
const ENCODERS: { readonly [Type in ErrorDetail['@type']]: (detail: Detail<Type>, writer: BinaryWriter) => void } = {
  'type.googleapis.com/google.rpc.ErrorInfo': ({ reason, domain, metadata = {} }, writer) => {
    writer.uint32(tag(1)).string(reason);
    writer.uint32(tag(2)).string(domain);
    for (const [key, value] of Object.entries(metadata)) {
      writer.uint32(tag(3)).fork();
      writer.uint32(tag(1)).string(key);
      writer.uint32(tag(2)).string(value).join();
    }
  },
  'type.googleapis.com/google.rpc.BadRequest': ({ fieldViolations }, writer) => {
    for (const { field, description } of fieldViolations) {
      writer.uint32(tag(1)).fork();
      writer.uint32(tag(1)).string(field);
      writer.uint32(tag(2)).string(description).join();
    }
  },
  'type.googleapis.com/google.rpc.RetryInfo': ({ retryDelay }, writer) => {
    writer.uint32(tag(1)).fork();
    writer.uint32(8).int64(Number.parseInt(retryDelay, 10)).join();
  },
};

/** `google.rpc.Status`, as it stands in `grpc-status-details-bin` (A2A 1.0 §10.6). */
export function encodeRpcStatus(code: number, message: string, details: readonly ErrorDetail[]): Buffer {
  const writer = new BinaryWriter();
  writer.uint32(8).int32(code);
  writer.uint32(tag(2)).string(message);
  for (const detail of details) {
    writer.uint32(tag(3)).fork();
    writer.uint32(tag(1)).string(detail['@type']);
    writer.uint32(tag(2)).fork();
    const encode = ENCODERS[detail['@type']] as (detail: ErrorDetail, writer: BinaryWriter) => void;
    encode(detail, writer);
    writer.join().join();
  }
  return Buffer.from(writer.finish());
}

/** Of a field whose value has a length before it. */
function tag(field: number): number {
  return (field << 3) | 2;
}
