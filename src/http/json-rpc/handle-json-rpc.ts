import type { ParameterizedContext } from 'koa';
import { LEGACY_VERSION, PROTOCOL_VERSION } from '../../a2a/agent-card.ts';
import { logFailure } from '../../a2a/log-failure.ts';
import type { Method } from '../../a2a/methods.ts';
import { requireVersion } from '../../a2a/protocol-version.ts';
import type { StreamFrame } from '../../a2a/stream-frame.ts';
import { type A2AErrorView, toA2AError } from '../../a2a/to-a2a-error.ts';
import type { StreamResponse } from '../../domain/a2a.ts';
import { answerStream } from '../answer-stream.ts';
import { callOf } from '../call-of.ts';
import { requestedVersion } from '../protocol-version.ts';
import { readBody, requireContentType } from '../read-body.ts';
import type { CallerState } from '../request-state.ts';
import {
  EnvelopeError,
  errorEnvelope,
  type JsonRpcError,
  type JsonRpcId,
  methodNotFound,
  parseEnvelope,
  resultEnvelope,
  toJsonRpcError,
  toLegacyError,
} from './envelope.ts';

type Context = ParameterizedContext<CallerState>;

type ToError = (error: A2AErrorView) => JsonRpcError;

/** A version of the protocol, as JSON-RPC speaks it. */
interface Dialect {
  readonly methods: ReadonlyMap<string, Method>;
  readonly toError: ToError;
  /** Clients of 0.3 that wait for a stream read no error outside of one. */
  readonly failsInStreams: boolean;
}

/** The statuses that HTTP's own machinery acts upon; every other JSON-RPC answer, errors included, is a 200. */
const STATUSES_SHOWN: readonly number[] = [429, 503];

export interface JsonRpcOptions {
  /** Those of A2A 1.0. */
  readonly methods: ReadonlyMap<string, Method>;
  /** Those of A2A 0.3. */
  readonly legacyMethods: ReadonlyMap<string, Method>;
  readonly bodyBytesMax: number;
  readonly streamHeartbeatMs: number;
}

/** `POST /a2a`: A2A 1.0 §9, and A2A 0.3 for who asks for that or for no version. What is thrown before there is an envelope is rendered by `renderFailures`. */
export function createJsonRpcHandler({ methods, legacyMethods, bodyBytesMax, streamHeartbeatMs }: JsonRpcOptions) {
  const dialects: ReadonlyMap<string, Dialect> = new Map([
    [PROTOCOL_VERSION, { methods, toError: toJsonRpcError, failsInStreams: false }],
    [LEGACY_VERSION, { methods: legacyMethods, toError: toLegacyError, failsInStreams: true }],
  ]);

  return async function handleJsonRpc(ctx: Context): Promise<void> {
    requireContentType(ctx.get('Content-Type'), ['application/json']);
    const body = await readBody(ctx.req, { bytesMax: bodyBytesMax });
    ctx.set('Cache-Control', 'no-store');
    let id: JsonRpcId | undefined = null;
    let toError = toJsonRpcError;
    try {
      const request = parseEnvelope(body);
      id = request.id;
      const version = requestedVersion(ctx.headers, new URLSearchParams(ctx.querystring));
      requireVersion(version, [...dialects.keys()]);
      const dialect = dialects.get(version);
      toError = dialect?.toError ?? toError;
      const method = dialect?.methods.get(request.method);
      if (dialect === undefined || method === undefined) throw methodNotFound(id ?? null);
      if (method.kind === 'unary') {
        answer(ctx, id, resultEnvelope(id ?? null, await method.invoke(request.params, callOf(ctx))));
      } else {
        await stream(ctx, id, method.open(request.params, callOf(ctx)), dialect);
      }
    } catch (error) {
      answerError(ctx, id, error, toError);
    }
  };

  async function stream(
    ctx: Context,
    id: JsonRpcId | undefined,
    frames: AsyncGenerator<StreamFrame, void>,
    { toError, failsInStreams }: Dialect,
  ) {
    if (id === undefined) {
      await frames.next();
      await frames.return();
      answer(ctx, id, undefined);
      return;
    }
    const options = {
      encode: {
        event: (event: StreamResponse) => resultEnvelope(id, event),
        error: (error: A2AErrorView) => errorEnvelope(id, toError(error)),
      },
      heartbeatMs: streamHeartbeatMs,
    };
    try {
      await answerStream(ctx, frames, options);
    } catch (error) {
      const isShown = STATUSES_SHOWN.includes(toA2AError(error, ctx.state.requestId).httpStatus);
      if (isShown || !failsInStreams || !ctx.get('Accept').includes('text/event-stream')) throw error;
      await answerStream(ctx, failing(error), options);
    }
  }
}

async function* failing(error: unknown): AsyncGenerator<StreamFrame, void> {
  yield await Promise.resolve({}); // the stream is open
  throw error;
}

/** A notification is not answered (JSON-RPC 2.0 §4.1). */
function answer(ctx: Context, id: JsonRpcId | undefined, envelope: unknown): void {
  if (id === undefined) {
    ctx.status = 204;
    return;
  }
  ctx.status = 200;
  ctx.type = 'application/json';
  ctx.body = JSON.stringify(envelope);
}

function answerError(ctx: Context, id: JsonRpcId | undefined, error: unknown, toError: ToError): void {
  if (error instanceof EnvelopeError) {
    answer(ctx, id, errorEnvelope(error.id, error.error));
    return;
  }
  logFailure(error, ctx.state.logger);
  const view = toA2AError(error, ctx.state.requestId);
  answer(ctx, id, errorEnvelope(id ?? null, toError(view)));
  const isVersion = view.code === -32009;
  if (STATUSES_SHOWN.includes(view.httpStatus) || isVersion) ctx.status = view.httpStatus;
  if (view.retryAfterSeconds !== undefined) ctx.set('Retry-After', String(view.retryAfterSeconds));
}
