import Koa from 'koa';
import type { ParameterizedContext } from 'koa';
import { createOpenArtifact } from '../a2a/open-artifact.ts';
import type { A2AErrorView } from '../a2a/to-a2a-error.ts';
import { createCallerAuthenticator } from '../auth/caller-authenticator.ts';
import type { GatewayDependencies } from './gateway-dependencies.ts';
import { errorEnvelope, toJsonRpcError } from './json-rpc/envelope.ts';
import { createJsonRpcHandler } from './json-rpc/handle-json-rpc.ts';
import { RefusedRequest } from './refused-request.ts';
import type { CallerState, RequestState } from './request-state.ts';
import { createRestHandler, restDialectOf } from './rest/handle-rest.ts';
import { route } from './route.ts';
import { createAgentCardHandler } from './routes/agent-card.ts';
import { createArtifactHandler } from './routes/artifact.ts';
import { createKeySetHandler } from './routes/key-set.ts';
import { assignRequestId } from './steps/assign-request-id.ts';
import { authenticateCaller } from './steps/authenticate-caller.ts';
import { credentialsOf } from './steps/credentials-of.ts';
import { logAccess } from './steps/log-access.ts';
import { negotiateExtensions } from './steps/negotiate-extensions.ts';
import { renderFailures } from './steps/render-failures.ts';

const JSON_RPC_PATH = /^\/a2a\/?$/;
const REST_PATH = /^\/a2a\/rest(\/.*)?$/;
const CARD_PATH = /^\/\.well-known\/agent-card\.json$/;
const KEY_SET_PATH = /^\/\.well-known\/jwks\.json$/;
const ARTIFACT_PATH = /^\/a2a\/artifacts\/([^/]+)\/([^/]+)$/;

/** What A2A callers reach. Read top to bottom, this is a request's life. */
export function createPublicApp({ tasks, surface, artifacts, service, http, logger }: GatewayDependencies) {
  const { cards, signer, methods, legacyMethods } = surface;
  const authenticate = createCallerAuthenticator(service.callers);
  const handleAgentCard = createAgentCardHandler(cards, service.modifiedAt);
  const handleArtifact = createArtifactHandler(createOpenArtifact({ tasks, artifacts, callers: service.callers }));
  const binding = {
    methods,
    legacyMethods,
    bodyBytesMax: service.limits.bodyBytesMax,
    streamHeartbeatMs: http.streamHeartbeatMs,
  };
  const handleJsonRpc = createJsonRpcHandler(binding);
  const handleRest = createRestHandler(binding);

  const app = new Koa<CallerState>();
  // Mostly readers that went away; Koa would print it.
  app.on('error', (error: unknown) => logger.debug({ error }, 'the response was cut off'));
  app.use(assignRequestId(logger));
  app.use(logAccess);
  app.use(renderFailures(errorBody));
  if (signer !== undefined) app.use(route<RequestState>('GET', KEY_SET_PATH, createKeySetHandler(signer)));
  if (service.discovery === 'public') {
    app.use(
      route<RequestState>('GET', CARD_PATH, async (ctx) => {
        const caller = authenticate(credentialsOf(ctx));
        await handleAgentCard(ctx, {
          caller: caller ?? service.anonymous ?? undefined,
          isPublic: caller === undefined,
        });
      }),
    );
  }
  app.use(
    authenticateCaller(authenticate, {
      id: service.anonymous,
      boundHost: http.host,
      publicUrl: service.publicUrl,
    }),
  );
  app.use(negotiateExtensions(service.extensions));
  app.use(
    route<CallerState>('GET', CARD_PATH, (ctx) => handleAgentCard(ctx, { caller: ctx.state.caller, isPublic: false })),
  );
  app.use(route('POST', JSON_RPC_PATH, handleJsonRpc));
  app.use(async (ctx, next) => {
    const path = REST_PATH.exec(ctx.path);
    await (path === null ? next() : handleRest(ctx, path[1] ?? ''));
  });
  app.use(route('GET', ARTIFACT_PATH, handleArtifact));
  app.use((ctx) => {
    throw new RefusedRequest(
      404,
      'task-not-found',
      ctx.path.startsWith('/a2a/artifacts/') ? 'Artifact not found' : 'Not found',
    );
  });
  return app;
}

/** On a binding's URL every error has the binding's shape, whoever found it; elsewhere it is plain. */
function errorBody(error: A2AErrorView, ctx: ParameterizedContext<RequestState>): unknown {
  const { path } = ctx;
  if (JSON_RPC_PATH.test(path)) return errorEnvelope(null, toJsonRpcError(error));
  const rest = REST_PATH.exec(path);
  if (rest === null) return { error: plainText(error, path) };
  const { mediaType, errorBody: restErrorBody } = restDialectOf(ctx, rest[1] ?? '');
  ctx.type = mediaType;
  return restErrorBody({ ...error, httpStatus: ctx.status });
}

/** One text for everything that is wrong with an artifact's address. */
function plainText({ httpStatus, message }: A2AErrorView, path: string): string {
  return httpStatus === 404 && path.startsWith('/a2a/artifacts/') ? 'Artifact not found' : message;
}
