import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { A2A_ERROR_CODE } from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { Call } from '../call.ts';
import { contextOf, legacyPassage, type Passage } from './passage.ts';
import type { StreamFrame } from '../stream-frame.ts';
import type { StreamResponse } from '../../domain/a2a.ts';
import { Failure } from '../../domain/failure.ts';
import type { Method } from '../methods.ts';

const UNARY = [
  'message/send',
  'tasks/get',
  'tasks/cancel',
  'tasks/pushNotificationConfig/set',
  'tasks/pushNotificationConfig/get',
  'tasks/pushNotificationConfig/list',
  'tasks/pushNotificationConfig/delete',
  'agent/getAuthenticatedExtendedCard',
] as const;

const STREAMS = ['message/stream', 'tasks/resubscribe'] as const;

/** A stream that `message/stream` has opened ends here, and the last event of a stream says so (A2A 0.3 §7.2.2). */
const CALLERS_TURN: readonly unknown[] = ['input-required', 'auth-required'];

interface Envelope {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** What A2A 0.3 calls the methods of JSON-RPC, translated by the SDK; what they take and give is in the form of 0.3. */
export function createLegacyMethods(requestHandler: A2ARequestHandler): ReadonlyMap<string, Method> {
  const transport = new LegacyJsonRpcTransportHandler(requestHandler);
  return new Map<string, Method>([
    ...UNARY.map((name) => [name, { kind: 'unary', invoke: invoke(name) }] satisfies [string, Method]),
    ...STREAMS.map((name) => [name, { kind: 'stream', open: open(name) }] satisfies [string, Method]),
  ]);

  /** The SDK checks IDs in its own way, so it gets one that is none of the client's. */
  async function handle(method: string, params: unknown, passage: Passage) {
    const answer = await transport.handle({ jsonrpc: '2.0', id: 0, method, params: params ?? {} }, contextOf(passage));
    if (Symbol.asyncIterator in answer) return answer as AsyncGenerator<Envelope, void, undefined>;
    const { error, result } = answer as Envelope;
    if (error !== undefined) throw failureOf(error, passage);
    return { result };
  }

  function invoke(method: string) {
    return async (params: unknown, call: Call): Promise<unknown> => {
      const passage = legacyPassage(call);
      const answer = await handle(method, params, passage);
      return 'result' in answer ? answer.result : undefined;
    };
  }

  function open(method: string) {
    return async function* openStream(params: unknown, call: Call): AsyncGenerator<StreamFrame, void, undefined> {
      const opened = Promise.withResolvers<undefined>();
      let cursor: string | undefined;
      const passage = legacyPassage(call, (frame) => {
        cursor = frame.cursor;
        opened.resolve(undefined);
      });
      const envelopes = await handle(method, params, passage);
      if ('result' in envelopes) throw new Error(`${method} gave no stream`);
      try {
        let next = envelopes.next();
        await Promise.race([opened.promise, next]);
        yield {};
        for (let envelope = await next; envelope.done !== true; envelope = await next) {
          // The SDK takes one frame at a time, so this is the cursor of this event.
          const event = method === 'message/stream' ? withFinal(envelope.value.result) : envelope.value.result;
          yield { event: event as StreamResponse, ...(cursor !== undefined && { cursor }) };
          next = envelopes.next();
        }
      } catch (error) {
        throw passage.failure ?? error;
      } finally {
        await envelopes.return();
      }
    };
  }
}

/** What the operation threw, or what the SDK found wrong with the request before. */
function failureOf({ code, message }: { readonly code: number; readonly message: string }, passage: Passage): unknown {
  if (passage.failure !== undefined) return passage.failure;
  if (code === A2A_ERROR_CODE.INVALID_PARAMS) return new Failure('invalid-request', message);
  // It stumbled over a value that it had not checked; the text is the runtime's.
  if (!passage.isEntered) return new Failure('invalid-request', 'Invalid method parameters.');
  return new Error(`the answer could not be translated: ${message}`);
}

function withFinal(event: unknown): unknown {
  const { kind, status } = event as { readonly kind?: unknown; readonly status?: { readonly state?: unknown } };
  return kind === 'status-update' && CALLERS_TURN.includes(status?.state)
    ? { ...(event as object), final: true }
    : event;
}
