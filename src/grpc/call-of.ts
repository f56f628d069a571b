import type { Metadata } from '@grpc/grpc-js';
import type { Call } from '../a2a/call.ts';
import type { CredentialHeaders } from '../auth/credentials.ts';

/** What the metadata says about a call (A2A 1.0 §10.2); its tenant is the request's to say. */
export function callOf(
  metadata: Metadata,
  { caller, extensions, signal }: Pick<Call, 'caller' | 'signal'> & { readonly extensions: readonly string[] },
): Call {
  const idempotencyKey = textOf(metadata, 'idempotency-key');
  const lastEventId = textOf(metadata, 'last-event-id');
  return {
    caller,
    extensions,
    signal,
    ...(idempotencyKey !== '' && { idempotencyKey }),
    ...(lastEventId !== '' && { lastEventId }),
  };
}

/** Values of the same name are one list; empty where there is none. */
export function textOf(metadata: Metadata, name: string): string {
  return metadata.get(name).join(', ');
}

export function credentialsOf(metadata: Metadata): CredentialHeaders {
  return { authorization: valueOf(metadata, 'authorization'), apiKey: valueOf(metadata, 'x-api-key') };
}

/** Two of them are joined, and are then no credentials. */
function valueOf(metadata: Metadata, name: string): string | undefined {
  return metadata.get(name).length === 0 ? undefined : textOf(metadata, name);
}
