import { randomUUID } from 'node:crypto';
import {
  Metadata,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type StatusObject,
  status as codes,
  type UntypedHandleCall,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { Call } from '../a2a/call.ts';
import { logFailure } from '../a2a/log-failure.ts';
import type { Method } from '../a2a/methods.ts';
import { negotiateExtensions } from '../a2a/negotiate-extensions.ts';
import { readVersion, requireVersion, VERSION_WITHOUT_HEADER } from '../a2a/protocol-version.ts';
import type { StreamFrame } from '../a2a/stream-frame.ts';
import { toA2AError } from '../a2a/to-a2a-error.ts';
import type { CallerAuthenticator } from '../auth/caller-authenticator.ts';
import { unauthenticated } from '../auth/credentials.ts';
import type { ExtensionConfiguration } from '../config/configuration.ts';
import { Failure } from '../domain/failure.ts';
import type { Logger } from '../observability/logger.ts';
import { callOf, credentialsOf, textOf } from './call-of.ts';
import type { Codec } from './codecs.ts';
import { type CodeOf, toGrpcStatus } from './envelope.ts';
import { StalledReader, writeMessages } from './write-messages.ts';

/** A version of the protocol, as gRPC speaks it: a service of its own. */
export interface GrpcDialect {
  readonly version: string;
  readonly definition: ServiceDefinition;
  readonly codeOf: CodeOf;
  /** By the names of the definition. */
  readonly endpoints: ReadonlyMap<string, { readonly codec: Codec; readonly method: Method }>;
}

export interface GrpcOptions {
  readonly authenticate: CallerAuthenticator;
  /** The caller that a request with no credentials counts as. */
  readonly anonymous: string | null;
  /** That this agent has. */
  readonly extensions: readonly ExtensionConfiguration[];
  readonly logger: Logger;
  /** Aborts when the listener drains: waits and streams end. */
  readonly draining: AbortSignal;
  readonly stallMs?: number;
}

export interface GrpcService {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

type UnaryCall = ServerUnaryCall<Buffer, Buffer>;
type StreamCall = ServerWritableStream<Buffer, Buffer>;
type Respond = (error: Partial<StatusObject> | null, answer?: Buffer) => void;

/** What every call has, whatever becomes of it. */
interface Visit {
  readonly requestId: string;
  readonly logger: Logger;
  readonly begunAt: number;
  /** Aborts when the client has cancelled or gone, or its deadline is over. */
  readonly gone: AbortSignal;
}

/** A2A 1.0 §10. */
export function createGrpcService(
  { version, definition, codeOf, endpoints }: GrpcDialect,
  options: GrpcOptions,
): GrpcService {
  const { authenticate, anonymous, extensions, draining, stallMs } = options;
  return {
    // Bytes in and out, so that what cannot be read or written is answered here.
    definition: Object.fromEntries(
      Object.entries(definition).map(([name, each]) => [
        name,
        { ...each, requestDeserialize: asIs, responseSerialize: asIs },
      ]),
    ),
    implementation: Object.fromEntries(
      [...endpoints].map(([name, { codec, method }]): [string, UntypedHandleCall] => [
        name,
        method.kind === 'unary' ? unary(codec, method.invoke) : stream(codec, method.open),
      ]),
    ),
  };

  function unary({ decode, encode }: Codec, invoke: (params: unknown, call: Call) => Promise<unknown>) {
    return (grpcCall: UnaryCall, respond: Respond): void => {
      const visit = enter(grpcCall, options.logger);
      const answer = async (): Promise<void> => {
        try {
          const { params, call, initial } = admit(grpcCall, decode, visit);
          const message = encode(await invoke(params, call));
          grpcCall.sendMetadata(initial);
          respond(null, message);
          logAccess(grpcCall, visit, 'OK');
        } catch (error) {
          respond(refuse(grpcCall, visit, error));
        }
      };
      void answer();
    };
  }

  function stream({ decode, encode }: Codec, open: (params: unknown, call: Call) => AsyncGenerator<StreamFrame, void>) {
    return (grpcCall: StreamCall): void => {
      const visit = enter(grpcCall, options.logger);
      const { gone } = visit;
      const answer = async (): Promise<void> => {
        try {
          const { params, call, initial } = admit(grpcCall, decode, visit);
          const frames = open(params, call);
          // What fails before the first event is an error without a beginning of a stream.
          const first = await frames.next();
          grpcCall.sendMetadata(initial);
          const messages = encodeFrames(first, frames, encode);
          await writeMessages(grpcCall, messages, { gone, ...(stallMs !== undefined && { stallMs }) });
          if (gone.aborted) logAccess(grpcCall, visit, 'CANCELLED');
          else if (draining.aborted) grpcCall.emit('error', refuse(grpcCall, visit, goingAway()));
          else {
            grpcCall.end();
            logAccess(grpcCall, visit, 'OK');
          }
        } catch (error) {
          grpcCall.emit('error', refuse(grpcCall, visit, error));
        }
      };
      void answer();
    };
  }

  /** @throws {Failure} */
  function admit({ metadata, request }: UnaryCall | StreamCall, decode: Codec['decode'], { gone, requestId }: Visit) {
    const caller = authenticate(credentialsOf(metadata)) ?? anonymous;
    if (caller === null) throw unauthenticated();
    requireVersion(readVersion(textOf(metadata, 'a2a-version')) ?? VERSION_WITHOUT_HEADER, [version]);
    const legacy = textOf(metadata, 'x-a2a-extensions');
    const { declared, active } = negotiateExtensions(textOf(metadata, 'a2a-extensions') || legacy, extensions);
    const initial = new Metadata();
    initial.set('x-request-id', requestId);
    if (active.length > 0) initial.set(legacy === '' ? 'a2a-extensions' : 'x-a2a-extensions', active.join(', '));
    const call = callOf(metadata, { caller, extensions: declared, signal: AbortSignal.any([gone, draining]) });
    return { params: readRequest(request, decode), call, initial };
  }

  function refuse(grpcCall: UnaryCall | StreamCall, visit: Visit, error: unknown): StatusObject {
    const { logger, requestId } = visit;
    const shown = error instanceof StalledReader ? new Failure('busy', 'The stream was not read') : error;
    logFailure(shown, logger);
    const view = toA2AError(shown, requestId);
    const code = codeOf(view);
    logAccess(grpcCall, visit, codes[code]);
    return toGrpcStatus(code, view, requestId);
  }
}

function enter(grpcCall: UnaryCall | StreamCall, logger: Logger): Visit {
  const given = textOf(grpcCall.metadata, 'x-request-id');
  const requestId = /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
  const gone = new AbortController();
  if (grpcCall.cancelled) gone.abort();
  grpcCall.once('cancelled', () => gone.abort());
  return { requestId, logger: logger.child({ requestId }), begunAt: performance.now(), gone: gone.signal };
}

function readRequest(bytes: Buffer, decode: Codec['decode']): unknown {
  try {
    return decode(bytes);
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure('invalid-request', 'The request cannot be read', { cause });
  }
}

async function* encodeFrames(
  first: IteratorResult<StreamFrame, void>,
  frames: AsyncGenerator<StreamFrame, void>,
  encode: Codec['encode'],
): AsyncGenerator<Buffer, void, undefined> {
  try {
    for (let next = first; next.done !== true; next = await frames.next()) {
      if (next.value.event !== undefined) yield encode(next.value.event);
    }
  } finally {
    await frames.return();
  }
}

/** To a client a stream that ends well is one that is over; this one is not. */
function goingAway(): Failure {
  return new Failure('unavailable', 'This gateway is going away: subscribe to the task again', {
    retryAfterSeconds: 1,
  });
}

/** One line a call, as each HTTP request has one. */
function logAccess(grpcCall: UnaryCall | StreamCall, { logger, begunAt, gone }: Visit, status: string): void {
  logger.info(
    {
      method: 'gRPC',
      path: grpcCall.getPath(),
      status,
      durationMs: Math.round(performance.now() - begunAt),
      ...(gone.aborted && { cutOff: true }),
    },
    'request',
  );
}

function asIs(bytes: Buffer): Buffer {
  return bytes;
}
