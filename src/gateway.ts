/** Composition root of a gateway: everything that answers over HTTP, built and handed out. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { packageRoot } from './process/package-root.ts';
import { proveStoresWhenTemporalIsThere, readStoreMarks } from './process/shared-stores.ts';
import { Cleanup } from './process/cleanup.ts';
import { createSurface } from './a2a/surface.ts';
import { createCallerAuthenticator } from './auth/caller-authenticator.ts';
import { deriveKey } from './auth/derived-key.ts';
import type { Configuration } from './config/configuration.ts';
import { createListCursors } from './contract/list-cursor.ts';
import { createStartTask } from './dispatch/create-start-task.ts';
import { listenGrpc } from './grpc/listener.ts';
import { createGrpcServices } from './grpc/services.ts';
import { createGateway } from './http/gateway-apps.ts';
import { listen } from './http/listener.ts';
import { createOutboundPolicy } from './net/outbound-policy.ts';
import { createTargetSeal } from './push/target-seal.ts';
import { createWebhookRegistry } from './push/webhook-registry.ts';
import type { Logger } from './observability/logger.ts';
import { createStoreCheck } from './storage/check-stores.ts';
import { createFolderArtifactStore } from './storage/artifact-store-folder.ts';
import type { PayloadStore } from './storage/payload-store.ts';
import { createPayloadStore } from './storage/payload-store.ts';
import { connectTemporal } from './temporal/connection.ts';
import { createPushDeliveries } from './temporal/push/push-deliveries.ts';
import { createTaskWorkflows } from './temporal/tasks/create-task-workflows.ts';
import { createDataConverter, createPayloadDecoder } from './temporal/data-converter.ts';
import { findFreePort } from './temporal/server/free-port.ts';

export interface GatewayOptions {
  /** `host:port` of Temporal, which may be away: requests are answered with 503 until it is there. */
  readonly temporalAddress: string;
  /** Of a worker in this process, for eager starts. */
  readonly nativeConnection?: NativeConnection;
  /** Shared by all replicas. */
  readonly secret: string;
  readonly logger: Logger;
}

/** Disposing it ends streams cleanly, lets requests under way finish for a bounded time, and leaves tasks alone. */
export interface RunningGateway extends AsyncDisposable {
  /** Origins, no trailing slash. */
  readonly url: string;
  readonly operatorUrl: string;
  /** `host:port`; absent where gRPC is off. */
  readonly grpcAddress?: string;
  /** Never resolves; rejects when it is found out, after a start without Temporal, that its folders are not those of the others. */
  readonly broken: Promise<never>;
}

/** With Temporal away, a gateway starts all the same, after so long. */
const PROOF_WAIT_MS = 3_000;

const PUSH_RETRY_MS_MAX = 900_000;
/** Webhooks are read from the history, so it should be one page. */
const PUSH_HISTORY_EVENTS_MAX = 500;

/** What `public_url` is when nobody has thought about it. */
const PUBLIC_URL_DEFAULT = /^http:\/\/(localhost|127\.0\.0\.1):4000$/;

/** @throws with a sentence for an operator: stores not set up, or not those of the other replicas; ports taken. */
export async function startGateway(
  config: Configuration,
  { temporalAddress, nativeConnection, secret, logger }: GatewayOptions,
): Promise<RunningGateway> {
  const { payloadsDirectory, artifactsDirectory } = config.storage;
  const storeIds = await readStoreMarks(config.storage);

  await using resources = new Cleanup();
  const connection = await connectTemporal({ address: temporalAddress, lazy: true });
  resources.defer(() => connection.close());
  const { namespace, taskQueue } = config.temporal;
  const stopProving = new AbortController();
  resources.defer(() => stopProving.abort());
  const proof = proveStoresWhenTemporalIsThere({ connection, namespace, taskQueue }, storeIds, config.storage, {
    logger,
    signal: stopProving.signal,
  });
  proof.catch(() => undefined); // thrown here, or reported by `broken`
  await Promise.race([proof, delay(PROOF_WAIT_MS, undefined, { signal: stopProving.signal, ref: false })]);
  const dataConverter = createDataConverter({
    payloadStore: writingAfter(proof, createPayloadStore({ directory: payloadsDirectory, isMarked: true })),
  });
  const temporalClient = new Client({ connection, namespace, dataConverter });
  const payloads = createPayloadDecoder(dataConverter);
  const tasks = createTaskWorkflows({
    connection,
    temporalClient,
    ...(nativeConnection !== undefined && {
      eagerStartClient: new Client({ connection: nativeConnection, namespace, dataConverter }),
    }),
    taskQueue,
    payloads,
    pollsMax: config.temporal.historyPollsMax,
  });

  const http = await withChosenPort(config.http);
  const grpc = config.grpc && (await withChosenPort(config.grpc));
  const service = withPublicGrpc(withReachableUrl(config.service, http.port), grpc?.port);
  const { defaultSkill, publications } = service;
  const { push } = service;
  const deliveries = createPushDeliveries({
    connection,
    temporalClient,
    taskQueue,
    payloads,
    limits: {
      attemptsMax: push.attemptsMax,
      retryDelayMs: push.firstRetryMs,
      retryDelayMsMax: PUSH_RETRY_MS_MAX,
      keepMs: push.keepMs,
      historyEventsMax: PUSH_HISTORY_EVENTS_MAX,
    },
  });
  const surface = createSurface({
    tasks,
    webhooks: createWebhookRegistry({
      deliveries,
      seal: createTargetSeal(secret),
      policy: createOutboundPolicy(push.allowHosts),
      isEnabled: push.isEnabled,
    }),
    startTask: createStartTask({
      publications,
      defaultSkill,
      tasks,
      taskLimits: { heartbeatTimeoutMs: config.temporal.heartbeatTimeoutMs },
    }),
    service,
    listCursors: createListCursors(deriveKey(secret, 'list-cursor')),
    version: packageVersion(),
  });
  const { publicApp, operatorApp } = createGateway({
    tasks,
    surface,
    deliveries,
    artifacts: createFolderArtifactStore(artifactsDirectory, { isMarked: true }),
    checkStores: createStoreCheck(config.storage),
    service,
    http,
    logger,
  });
  const { drainMs } = http;
  const operatorListener = await listen({
    app: operatorApp,
    host: http.operatorHost,
    port: http.operatorPort,
    drainMs,
  });
  resources.use(operatorListener);
  const publicListener = await listen({ app: publicApp, host: http.host, port: http.port, drainMs });
  resources.use(publicListener);
  if (grpc !== undefined) {
    const listener = await listenGrpc({
      ...grpc,
      createServices: (draining) =>
        createGrpcServices(surface, {
          authenticate: createCallerAuthenticator(service.callers),
          anonymous: service.anonymous,
          extensions: service.extensions,
          logger,
          draining,
        }),
      bodyBytesMax: service.limits.bodyBytesMax,
      heartbeatMs: http.streamHeartbeatMs,
      drainMs,
    });
    // Both at the same time: each has its own calls to wait for.
    resources.defer(() => Promise.all([listener.drain(), publicListener.drain()]));
  }

  const owned = resources.move();
  return {
    url: publicListener.url,
    operatorUrl: operatorListener.url,
    ...(grpc !== undefined && service.publicGrpc !== undefined && { grpcAddress: service.publicGrpc }),
    broken: proof.then(() => Promise.withResolvers<never>().promise),
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}

/** Nothing goes into a folder that may be the wrong one. */
function writingAfter(proof: Promise<void>, store: PayloadStore): PayloadStore {
  return {
    get: (sha256) => store.get(sha256),
    async put(content) {
      await proof;
      return store.put(content);
    },
  };
}

/** Port 0 is any free one; it has to be known before the first link to it is made. */
async function withChosenPort<Listening extends { readonly port: number }>(listening: Listening): Promise<Listening> {
  return listening.port === 0 ? { ...listening, port: await findFreePort(0) } : listening;
}

/** Said or not, an address where nobody listens is told to nobody. */
function withPublicGrpc(
  { publicGrpc, ...service }: Configuration['service'],
  port: number | undefined,
): Configuration['service'] {
  if (port === undefined) return service;
  return { ...service, publicGrpc: publicGrpc ?? `${new URL(service.publicUrl).hostname}:${port}` };
}

/** On another port than the default one, a `public_url` that names the default one would lead nowhere. */
function withReachableUrl(service: Configuration['service'], port: number): Configuration['service'] {
  if (!PUBLIC_URL_DEFAULT.test(service.publicUrl)) return service;
  return { ...service, publicUrl: service.publicUrl.replace(/\d+$/, String(port)) };
}

function packageVersion(): string {
  return (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string }).version;
}
