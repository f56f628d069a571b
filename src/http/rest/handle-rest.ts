import type { ParameterizedContext } from 'koa';
import { PROTOCOL_VERSION } from '../../a2a/agent-card.ts';
import type { Method } from '../../a2a/methods.ts';
import { requireVersion } from '../../a2a/protocol-version.ts';
import { Failure } from '../../domain/failure.ts';
import { answerStream } from '../answer-stream.ts';
import { callOf } from '../call-of.ts';
import { requestedVersion } from '../protocol-version.ts';
import { parseJson, readBody, requireContentType, UnparsableBody } from '../read-body.ts';
import type { CallerState } from '../request-state.ts';
import { bindFields } from './bind-fields.ts';
import { REST_MEDIA_TYPE, restErrorBody } from './envelope.ts';
import { readQuery } from './read-query.ts';
import { findRoute, type RestOperation } from './routes.ts';

type Context = ParameterizedContext<CallerState>;

const MEDIA_TYPES_TAKEN = ['application/json', REST_MEDIA_TYPE];

export interface RestOptions {
  readonly methods: ReadonlyMap<string, Method>;
  readonly bodyBytesMax: number;
  readonly streamHeartbeatMs: number;
}

/** All that is below `/a2a/rest`: A2A 1.0 §11. What is thrown is rendered by `renderFailures`. */
export function createRestHandler({ methods, bodyBytesMax, streamHeartbeatMs }: RestOptions) {
  return async function handleRest(ctx: Context, path: string): Promise<void> {
    const { operation, fields } = findRoute(ctx.method, path);
    const method = methods.get(operation.method);
    if (method === undefined) throw new Error(`A route leads to no method: ${operation.method}`);
    const query = new URLSearchParams(ctx.querystring);
    requireVersion(requestedVersion(ctx.headers, query), [PROTOCOL_VERSION]);
    const params = bindFields(await readFields(ctx, query, operation), fields);
    ctx.set('Cache-Control', 'no-store');
    if (method.kind === 'stream') {
      await answerStream(ctx, method.open(params, callOf(ctx)), {
        encode: { event: (event) => event, error: restErrorBody },
        heartbeatMs: streamHeartbeatMs,
      });
      return;
    }
    const answer = await method.invoke(params, callOf(ctx));
    ctx.status = 200;
    ctx.type = REST_MEDIA_TYPE;
    ctx.body = JSON.stringify(answer);
  };

  /** What the request says beside its path. */
  async function readFields(ctx: Context, query: URLSearchParams, operation: RestOperation): Promise<unknown> {
    if (operation.body === undefined) return readQuery(query, operation.query);
    const contentType = ctx.get('Content-Type');
    if (operation.body === 'required') requireContentType(contentType, MEDIA_TYPES_TAKEN);
    const body = await readBody(ctx.req, { bytesMax: bodyBytesMax });
    if (operation.body === 'optional') {
      if (body.length === 0) return {};
      requireContentType(contentType, MEDIA_TYPES_TAKEN);
    }
    return parseBody(body);
  }
}

function parseBody(body: Buffer): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    if (error instanceof UnparsableBody) throw new Failure('invalid-request', 'The body is not JSON');
    throw error;
  }
}
