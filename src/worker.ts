/** Composition root of a worker: everything that runs workflows and activities, built and handed out. */
import { dirname, join } from 'node:path';
import { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { DefaultLogger, makeTelemetryFilterString, Runtime, Worker } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import type { Configuration } from './config/configuration.ts';
import { Cleanup } from './process/cleanup.ts';
import { checkExecutors } from './process/check-executors.ts';
import { outliveExecutors } from './process/outlive-executors.ts';
import { createPushWorker } from './process/push-worker.ts';
import { proveStores, readStoreMarks } from './process/shared-stores.ts';
import { loadWorkflowCode } from './process/workflow-code.ts';
import type { Logger } from './observability/logger.ts';
import { createFolderArtifactStore } from './storage/artifact-store-folder.ts';
import { createKeptValues } from './storage/kept-values.ts';
import { createPayloadStore } from './storage/payload-store.ts';
import { createFolderStepStore } from './storage/step-store-folder.ts';
import { connectTemporal, connectTemporalNatively } from './temporal/connection.ts';
import { createDataConverter } from './temporal/data-converter.ts';
import { createProgressSender } from './temporal/tasks/task-progress-sender.ts';

export interface WorkerOptions {
  /** `host:port` of Temporal. */
  readonly temporalAddress: string;
  /** Shared by all replicas; what is encrypted has a key derived from it. */
  readonly secret: string;
  readonly logger: Logger;
}

/** Disposing it gives running activities back to Temporal, for another worker, and ends within a bounded time. */
export interface RunningWorker extends AsyncDisposable {
  /** Of the worker: a start over it reaches this worker without a poll. */
  readonly nativeConnection: NativeConnection;
  /** Never resolves; rejects when the worker has broken down. */
  readonly broken: Promise<never>;
}

/** After a request to stop, stages may end by themselves for so long; then they are told to. */
const STOP_GRACE = '5 seconds';
/** Whoever has not stopped by then is left behind: Temporal hands the stage to another worker when it misses heartbeats. */
const STOP_LIMIT = '15 seconds';

const PROGRESS_TIMEOUT_MS = 10_000;

/** @throws with a sentence for an operator: Temporal away, stores not set up, executors that do not load. */
export async function startWorker(
  config: Configuration,
  { temporalAddress, secret, logger }: WorkerOptions,
): Promise<RunningWorker> {
  const configDirectory = dirname(config.configPath);
  const { payloadsDirectory, artifactsDirectory } = config.storage;
  await checkExecutors(config.service.publications, configDirectory);
  const storeIds = await readStoreMarks(config.storage);
  const temporalLogger = installRuntime(logger);
  const workflowCode = await loadWorkflowCode(config.dataDirectory, temporalLogger);

  const { namespace, taskQueue } = config.temporal;
  const payloadStore = createPayloadStore({ directory: payloadsDirectory, isMarked: true });
  const dataConverter = createDataConverter({ payloadStore });
  await using resources = new Cleanup();
  const outlived = outliveExecutors(logger);
  resources.defer(() => outlived[Symbol.dispose]());
  const connection = await connectTemporal({ address: temporalAddress });
  resources.defer(() => connection.close());
  await proveStores({ connection, namespace, taskQueue }, storeIds, config.storage, logger);
  const nativeConnection = await connectTemporalNatively({ address: temporalAddress });
  resources.defer(() => nativeConnection.close());
  const temporalClient = new Client({ connection, namespace, dataConverter });
  const sendProgress = createProgressSender({ connection, temporalClient });

  const worker = await Worker.create({
    connection: nativeConnection,
    namespace,
    taskQueue,
    dataConverter,
    ...workflowCode,
    activities: createActivities({
      sendProgress: (taskRun, signal) => sendProgress(taskRun, signal, AbortSignal.timeout(PROGRESS_TIMEOUT_MS)),
      artifacts: createFolderArtifactStore(artifactsDirectory, { isMarked: true }),
      kept: createKeptValues(payloadStore),
      steps: createFolderStepStore(join(payloadsDirectory, 'steps')),
      configDirectory,
      environment: process.env,
      log: logger,
    }),
    // A cancel reaches an activity with its heartbeat; by default the SDK holds that back for most of its timeout.
    maxHeartbeatThrottleInterval: '1 second',
    // A worker that dies holds up its tasks no longer than this: then another may take them.
    stickyQueueScheduleToStartTimeout: '5 seconds',
    shutdownGraceTime: STOP_GRACE,
    shutdownForceTime: STOP_LIMIT,
  });
  const pushWorker = await createPushWorker({
    connection,
    nativeConnection,
    temporalClient,
    taskQueue,
    dataConverter,
    service: config.service,
    secret,
  });
  resources.defer(() => pushWorker[Symbol.dispose]());
  const runs = [worker, pushWorker.worker].map((each) => {
    const run = each.run();
    run.catch(() => undefined); // reported by `broken`, and by disposal
    return { worker: each, run };
  });
  resources.defer(async () => {
    for (const each of runs) if (each.worker.getState() === 'RUNNING') each.worker.shutdown();
    const ends = runs.map(({ run }) =>
      run.catch((error: unknown) => logger.warn({ error }, 'The worker did not end in peace')),
    );
    await Promise.all(ends);
  });

  const owned = resources.move();
  return {
    nativeConnection,
    broken: Promise.race(runs.map(({ run }) => run.then(() => Promise.withResolvers<never>().promise))),
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}

let temporalLogger: DefaultLogger | undefined;

/** The SDK's runtime is one per process. Signals are the command's to handle, and the log is ours. */
function installRuntime(logger: Logger): DefaultLogger {
  if (temporalLogger !== undefined) return temporalLogger;
  temporalLogger = new DefaultLogger('INFO', ({ level, message, meta }) => {
    const write = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;
    logger[write[level]](meta ?? {}, message);
  });
  Runtime.install({
    logger: temporalLogger,
    shutdownSignals: [],
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} } },
  });
  return temporalLogger;
}
