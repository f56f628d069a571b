import { LegacyA2AService, legacyGrpcService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import type { A2ARequestHandler, User } from '@a2a-js/sdk/server';
import { Metadata, status as codes } from '@grpc/grpc-js';
import type { Call } from '../a2a/call.ts';
import type { Method } from '../a2a/methods.ts';
import { contextOf, legacyPassage, type Passage } from '../a2a/sdk-handler/passage.ts';
import type { StreamFrame } from '../a2a/stream-frame.ts';
import type { StreamResponse } from '../domain/a2a.ts';
import { Failure } from '../domain/failure.ts';
import type { Codec } from './codecs.ts';
import { HandOver } from './hand-over.ts';

type Name = keyof typeof LegacyA2AService;

interface Definition {
  readonly responseStream: boolean;
  readonly requestDeserialize: (bytes: Buffer) => unknown;
  readonly responseSerialize: (message: never) => Buffer;
}

/** What the SDK's service is called with: it finds the passage by the call. */
interface Guest {
  readonly request: unknown;
  readonly metadata: Metadata;
  readonly passage: Passage;
  sendMetadata(): void;
}

interface StreamGuest extends Guest {
  write(message: unknown): void;
  emit(event: 'error', error: unknown): void;
  end(): void;
}

type Unary = (guest: Guest, respond: (error: unknown, answer: unknown) => void) => void;
type Stream = (guest: StreamGuest) => void;

/** The states at which a stream that a message has opened ends: its last event says so (A2A 0.3 §7.2.2). */
const CALLERS_TURN: readonly unknown[] = [6, 8];

/** A2A 0.3 over gRPC, translated by the SDK; what the methods take and give are its objects. By the names of the definition. */
export function createLegacyEndpoints(
  requestHandler: A2ARequestHandler,
): ReadonlyMap<string, { readonly codec: Codec; readonly method: Method }> {
  const service = legacyGrpcService({
    requestHandler,
    userBuilder: (guest) => Promise.resolve(new PassageUser((guest as unknown as Guest).passage)),
    contextBuilder: ({ user }) => contextOf((user as PassageUser).passage),
  });
  const names = Object.keys(LegacyA2AService) as Name[];
  return new Map(
    names.map((name) => {
      const { responseStream, requestDeserialize, responseSerialize }: Definition = LegacyA2AService[name];
      const codec: Codec = {
        decode: (bytes) => withoutZeroLength(requestDeserialize(bytes)),
        encode: (message) => responseSerialize(message as never),
      };
      const method: Method = responseStream
        ? { kind: 'stream', open: open(service[name] as unknown as Stream, name === 'sendStreamingMessage') }
        : { kind: 'unary', invoke: invoke(service[name] as unknown as Unary) };
      return [name, { codec, method }];
    }),
  );
}

class PassageUser implements User {
  readonly isAuthenticated = true;
  readonly passage: Passage;

  constructor(passage: Passage) {
    this.passage = passage;
  }

  get userName(): string {
    return this.passage.call.caller;
  }
}

function invoke(handle: Unary) {
  return async (request: unknown, call: Call): Promise<unknown> => {
    const passage = legacyPassage(call);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    handle(guestOf(request, passage), (error, answer) =>
      error === null || error === undefined ? resolve(answer) : reject(failureOf(error, passage)),
    );
    return promise;
  };
}

function open(handle: Stream, endsWithCallersTurn: boolean) {
  return async function* openStream(request: unknown, call: Call): AsyncGenerator<StreamFrame, void, undefined> {
    const closed = new AbortController();
    const events = new HandOver<unknown>();
    const signal = AbortSignal.any([call.signal, closed.signal]);
    // The SDK would take events as fast as they come: it gets one when the one before has been taken.
    const passage = legacyPassage({ ...call, signal }, () => events.taken());
    handle({
      ...guestOf(request, passage),
      write: (event) => events.give(endsWithCallersTurn ? withFinal(event) : event),
      emit: (_, error) => events.fail(failureOf(error, passage)),
      end: () => events.end(),
    });
    try {
      for await (const event of events) yield { event: event as StreamResponse };
    } finally {
      closed.abort();
      events.end();
    }
  };
}

function guestOf(request: unknown, passage: Passage): Guest {
  return { request, metadata: new Metadata(), passage, sendMetadata: () => undefined };
}

/** What the operation threw, or what the SDK found wrong with the request before. */
function failureOf(error: unknown, passage: Passage): unknown {
  if (passage.failure !== undefined) return passage.failure;
  const { code, details } = error as { readonly code?: codes; readonly details?: string };
  if (passage.isEntered) return new Error(`the answer could not be translated: ${details ?? String(error)}`);
  return new Failure(
    'invalid-request',
    code === codes.INVALID_ARGUMENT && details !== undefined ? details : 'The request cannot be read',
  );
}

/** Zero is the absence of a number in A2A 0.3; the SDK takes it for a wish to see no history. */
function withoutZeroLength(request: unknown): unknown {
  const { historyLength } = request as { readonly historyLength?: number };
  return historyLength === 0 ? { ...(request as object), historyLength: undefined } : request;
}

function withFinal(event: unknown): unknown {
  const { payload } = event as {
    readonly payload?: { readonly $case: string; readonly value: { readonly status?: { readonly state: unknown } } };
  };
  if (payload?.$case !== 'statusUpdate' || !CALLERS_TURN.includes(payload.value.status?.state)) return event;
  return { payload: { ...payload, value: { ...payload.value, final: true } } };
}
