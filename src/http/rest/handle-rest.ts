import type { ParameterizedContext } from 'koa';
import { LEGACY_VERSION, PROTOCOL_VERSION } from '../../a2a/agent-card.ts';
import type { Method } from '../../a2a/methods.ts';
import { requireVersion } from '../../a2a/protocol-version.ts';
import type { A2AErrorView } from '../../a2a/to-a2a-error.ts';
import { Failure } from '../../domain/failure.ts';
import { answerStream } from '../answer-stream.ts';
import { callOf } from '../call-of.ts';
import { requestedVersion } from '../protocol-version.ts';
import { parseJson, readBody, requireContentType, UnparsableBody } from '../read-body.ts';
import type { CallerState } from '../request-state.ts';
import { bindFields } from './bind-fields.ts';
import { LEGACY_MEDIA_TYPE, legacyRestErrorBody, REST_MEDIA_TYPE, restErrorBody } from './envelope.ts';
import { LEGACY_ROUTES } from './legacy-routes.ts';
import { readQuery } from './read-query.ts';
import { createRouter, type FindRoute, type RestOperation, ROUTES } from './routes.ts';

type Context = ParameterizedContext<CallerState>;

type Fields = Readonly<Record<string, unknown>>;

/** A version of the protocol, as HTTP+JSON speaks it. */
export interface RestDialect {
  readonly mediaType: string;
  readonly errorBody: (error: A2AErrorView) => unknown;
}

interface Endpoint extends RestOperation {
  readonly toParams: (fields: Fields) => unknown;
  readonly toAnswer: (result: unknown) => unknown;
}

const asIs = (value: unknown): unknown => value;

const CURRENT: RestDialect & { readonly findRoute: FindRoute<RestOperation> } = {
  mediaType: REST_MEDIA_TYPE,
  errorBody: restErrorBody,
  findRoute: createRouter(ROUTES, ['', '/{tenant}']),
};

const LEGACY: RestDialect & { readonly findRoute: FindRoute<Endpoint> } = {
  mediaType: LEGACY_MEDIA_TYPE,
  errorBody: legacyRestErrorBody,
  findRoute: createRouter(LEGACY_ROUTES, ['/v1']),
};

const MEDIA_TYPES_TAKEN = ['application/json', REST_MEDIA_TYPE];

export interface RestOptions {
  /** Those of A2A 1.0. */
  readonly methods: ReadonlyMap<string, Method>;
  /** Those of A2A 0.3. */
  readonly legacyMethods: ReadonlyMap<string, Method>;
  readonly bodyBytesMax: number;
  readonly streamHeartbeatMs: number;
}

/** @param path below the binding's URL. All of 0.3 is below `/v1`, which is no tenant's name. */
export function restDialectOf(ctx: Pick<Context, 'headers' | 'querystring'>, path: string): RestDialect {
  return isLegacy(ctx, path) ? LEGACY : CURRENT;
}

function isLegacy({ headers, querystring }: Pick<Context, 'headers' | 'querystring'>, path: string): boolean {
  return path.startsWith('/v1/') && requestedVersion(headers, new URLSearchParams(querystring)) === LEGACY_VERSION;
}

/**
 * All that is below `/a2a/rest`: A2A 1.0 §11, and A2A 0.3 for who asks for that or for no version. What is thrown is rendered by
 * `renderFailures`.
 */
export function createRestHandler({ methods, legacyMethods, bodyBytesMax, streamHeartbeatMs }: RestOptions) {
  return async function handleRest(ctx: Context, path: string): Promise<void> {
    const query = new URLSearchParams(ctx.querystring);
    const { endpoint, fields, method, dialect } = isLegacy(ctx, path)
      ? findLegacy(ctx.method, path)
      : findCurrent(ctx.method, path, requestedVersion(ctx.headers, query));
    if (method === undefined) throw new Error(`A route leads to no method: ${endpoint.method}`);
    const params = endpoint.toParams(bindFields(await readFields(ctx, query, endpoint), fields));
    ctx.set('Cache-Control', 'no-store');
    if (method.kind === 'stream') {
      await answerStream(ctx, method.open(params, callOf(ctx)), {
        encode: { event: endpoint.toAnswer, error: dialect.errorBody },
        heartbeatMs: streamHeartbeatMs,
      });
      return;
    }
    const answer = endpoint.toAnswer(await method.invoke(params, callOf(ctx)));
    ctx.status = 200;
    ctx.type = dialect.mediaType;
    ctx.body = JSON.stringify(answer);
  };

  function findCurrent(verb: string, path: string, version: string) {
    requireVersion(version, [PROTOCOL_VERSION, LEGACY_VERSION]);
    if (version === LEGACY_VERSION) throw notBelowV1();
    const { operation, fields } = CURRENT.findRoute(verb, path);
    const endpoint: Endpoint = { ...operation, toParams: asIs, toAnswer: asIs };
    return { endpoint, fields, method: methods.get(endpoint.method), dialect: CURRENT };
  }

  function findLegacy(verb: string, path: string) {
    const { operation: endpoint, fields } = LEGACY.findRoute(verb, path);
    return { endpoint, fields, method: legacyMethods.get(endpoint.method), dialect: LEGACY };
  }

  /** What the request says beside its path. */
  async function readFields(ctx: Context, query: URLSearchParams, operation: RestOperation): Promise<unknown> {
    if (operation.body === undefined) return readQuery(query, operation.query);
    const contentType = ctx.get('Content-Type');
    if (operation.body === 'required') requireContentType(contentType, MEDIA_TYPES_TAKEN);
    const body = await readBody(ctx.req, { bytesMax: bodyBytesMax });
    if (operation.body === 'optional') {
      if (body.length === 0) return {};
      requireContentType(contentType, MEDIA_TYPES_TAKEN);
      // Some clients of 0.3 write nothing as null.
      return parseBody(body) ?? {};
    }
    return parseBody(body);
  }
}

function notBelowV1(): Failure {
  return new Failure(
    'version-not-supported',
    `A2A ${LEGACY_VERSION} is served below /v1; for ${PROTOCOL_VERSION} say A2A-Version: ${PROTOCOL_VERSION}`,
    { metadata: { supportedVersions: PROTOCOL_VERSION } },
  );
}

function parseBody(body: Buffer): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    if (error instanceof UnparsableBody) throw new Failure('invalid-request', 'The body is not JSON');
    throw error;
  }
}
