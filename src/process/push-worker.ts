import type { Client, Connection } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { type NativeConnection, Worker } from '@temporalio/worker';
import { createPushActivities } from '../../activities/index.ts';
import { createTaskProjection } from '../a2a/project-task.ts';
import { createReadNotifications } from '../a2a/task-notifications.ts';
import type { ServiceConfiguration } from '../config/configuration.ts';
import { Failure } from '../domain/failure.ts';
import { createOutboundPolicy } from '../net/outbound-policy.ts';
import { createPost } from '../net/post.ts';
import { createDeliverRound } from '../push/deliver-round.ts';
import { createSendNotification } from '../push/send-notification.ts';
import { createTargetSeal } from '../push/target-seal.ts';
import { createPayloadDecoder } from '../temporal/data-converter.ts';
import { createTaskEvents } from '../temporal/push/task-events.ts';
import { pushTaskQueue } from '../../workflows/push-delivery-contract.ts';

export interface PushWorkerOptions {
  readonly connection: Connection;
  readonly nativeConnection: NativeConnection;
  readonly temporalClient: Client;
  /** Of the workflows. */
  readonly taskQueue: string;
  readonly dataConverter: DataConverter;
  readonly service: ServiceConfiguration;
  readonly secret: string;
  /** How long a round waits for something to happen, where there is room for many. */
  readonly lingerMs?: number;
}

/** Rounds at the same time. */
const ROUNDS_MAX = 400;
/** With more than so many, those that only wait make room for those that have something to send. */
const ROUNDS_MANY = 300;
/** Longer than the longest pause between two signals of progress: a stage at work is followed, and asks for no wake. */
const LINGER_MS = 90_000;
const LINGER_MS_MIN = 1_000;

/** Delivers push notifications, beside the worker that runs stages, so that webhooks that hang take no place of a stage. */
export async function createPushWorker(options: PushWorkerOptions): Promise<{ readonly worker: Worker } & Disposable> {
  const { connection, nativeConnection, temporalClient, taskQueue, dataConverter, service, secret } = options;
  const { lingerMs = LINGER_MS } = options;
  const payloads = createPayloadDecoder(dataConverter);
  const events = createTaskEvents({ connection, temporalClient, taskQueue, payloads });
  const post = createPost(createOutboundPolicy(service.push.allowHosts));
  let rounds = 0;
  const deliverRound = createDeliverRound({
    read: createReadNotifications({ ...events, projection: createTaskProjection(service.publicUrl) }),
    webhooksOf: events.webhooksOf,
    seal: createTargetSeal(secret),
    send: createSendNotification({ post, timeoutMs: service.push.timeoutMs }),
    lingerMs: () => (rounds > ROUNDS_MANY ? Math.min(LINGER_MS_MIN, lingerMs) : lingerMs),
    isGone: (error) => error instanceof Failure && error.kind === 'task-not-found',
    isBehind: (error) => error instanceof Failure && error.kind === 'busy',
  });
  const worker = await Worker.create({
    connection: nativeConnection,
    namespace: temporalClient.options.namespace,
    taskQueue: pushTaskQueue(taskQueue),
    dataConverter,
    activities: createPushActivities({
      openRun: events.openRun,
      async deliverPush(round, how) {
        rounds += 1;
        try {
          return await deliverRound(round, how);
        } finally {
          rounds -= 1;
        }
      },
    }),
    maxConcurrentActivityTaskExecutions: ROUNDS_MAX,
    maxHeartbeatThrottleInterval: '1 second',
    shutdownGraceTime: 0, // a round that is told to stop says how far it came
    shutdownForceTime: '15 seconds',
  });
  return { worker, [Symbol.dispose]: () => post[Symbol.dispose]() };
}
