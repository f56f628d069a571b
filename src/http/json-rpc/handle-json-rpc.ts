import type { ParameterizedContext } from 'koa';
import { PROTOCOL_VERSION } from '../../a2a/agent-card.ts';
import type { StreamFrame } from '../../a2a/stream-frame.ts';
import { toA2AError } from '../../a2a/to-a2a-error.ts';
import { answerStream } from '../answer-stream.ts';
import { callOf } from '../call-of.ts';
import type { Method } from '../methods.ts';
import { requestedVersion, requireVersion } from '../protocol-version.ts';
import { readBody, requireContentType } from '../read-body.ts';
import type { CallerState } from '../request-state.ts';
import { logFailure } from '../steps/render-failures.ts';
import {
  EnvelopeError,
  errorEnvelope,
  type JsonRpcId,
  methodNotFound,
  parseEnvelope,
  resultEnvelope,
  toJsonRpcError,
} from './envelope.ts';

type Context = ParameterizedContext<CallerState>;

/** The statuses that HTTP's own machinery acts upon; every other JSON-RPC answer, errors included, is a 200. */
const STATUSES_SHOWN: readonly number[] = [429, 503];

export interface JsonRpcOptions {
  readonly methods: ReadonlyMap<string, Method>;
  readonly bodyBytesMax: number;
  readonly streamHeartbeatMs: number;
}

/** `POST /a2a`: A2A 1.0 §9. What is thrown before there is an envelope is rendered by `renderFailures`. */
export function createJsonRpcHandler({ methods, bodyBytesMax, streamHeartbeatMs }: JsonRpcOptions) {
  return async function handleJsonRpc(ctx: Context): Promise<void> {
    requireContentType(ctx.get('Content-Type'), ['application/json']);
    const body = await readBody(ctx.req, { bytesMax: bodyBytesMax });
    ctx.set('Cache-Control', 'no-store');
    let id: JsonRpcId | undefined = null;
    try {
      const request = parseEnvelope(body);
      id = request.id;
      requireVersion(requestedVersion(ctx.headers, new URLSearchParams(ctx.querystring)), [PROTOCOL_VERSION]);
      const method = methods.get(request.method);
      if (method === undefined) throw methodNotFound(id ?? null);
      if (method.kind === 'unary') {
        answer(ctx, id, resultEnvelope(id ?? null, await method.invoke(request.params, callOf(ctx))));
      } else {
        await stream(ctx, id, method.open(request.params, callOf(ctx)));
      }
    } catch (error) {
      answerError(ctx, id, error);
    }
  };

  async function stream(ctx: Context, id: JsonRpcId | undefined, frames: AsyncGenerator<StreamFrame, void>) {
    if (id === undefined) {
      await frames.next();
      await frames.return();
      answer(ctx, id, undefined);
      return;
    }
    await answerStream(ctx, frames, {
      encode: {
        event: (event) => resultEnvelope(id, event),
        error: (error) => errorEnvelope(id, toJsonRpcError(error)),
      },
      heartbeatMs: streamHeartbeatMs,
    });
  }
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

function answerError(ctx: Context, id: JsonRpcId | undefined, error: unknown): void {
  if (error instanceof EnvelopeError) {
    answer(ctx, id, errorEnvelope(error.id, error.error));
    return;
  }
  logFailure(error, ctx.state);
  const view = toA2AError(error, ctx.state.requestId);
  answer(ctx, id, errorEnvelope(id ?? null, toJsonRpcError(view)));
  const isVersion = view.code === -32009;
  if (STATUSES_SHOWN.includes(view.httpStatus) || isVersion) ctx.status = view.httpStatus;
  if (view.retryAfterSeconds !== undefined) ctx.set('Retry-After', String(view.retryAfterSeconds));
}
