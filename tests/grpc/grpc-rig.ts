/** Clients of a test gateway over gRPC; all are closed after each test. */
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import {
  type Client,
  type ClientReadableStream,
  credentials,
  makeGenericClientConstructor,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import { afterEach } from '@jest/globals';
import { connectGrpc, grpcMethod, toAnswer, toMetadata, toRequest } from '../bindings/grpc-client.ts';
import { HEADERS, send, type TestGateway } from '../support/gateway.ts';

const clients: Client[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

export function connect({ grpcAddress }: Pick<TestGateway, 'grpcAddress'>): Client {
  const client = connectGrpc(grpcAddress);
  clients.push(client);
  return client;
}

export interface Answer {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into whatever came
  readonly result?: any;
  readonly error?: ServiceError;
  /** Initial metadata. */
  readonly metadata: Metadata;
}

export async function ask(
  gateway: TestGateway,
  method: string,
  params: unknown,
  headers: Record<string, string> = HEADERS,
): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  let metadata = new Metadata();
  const call = grpcMethod(connect(gateway), method)(toRequest(method, params), toMetadata(headers), (error, answer) =>
    resolve(error === null ? { result: toAnswer(method, answer), metadata } : { error, metadata }),
  );
  call.on('metadata', (given: Metadata) => {
    metadata = given;
  });
  return promise;
}

/** Any bytes to any path. */
export async function askRaw(gateway: TestGateway, path: string, bytes: Buffer): Promise<ServiceError | null> {
  const { promise, resolve } = Promise.withResolvers<ServiceError | null>();
  const asIs = (value: Buffer): Buffer => value;
  connect(gateway).makeUnaryRequest(path, asIs, asIs, bytes, toMetadata(HEADERS), (error) => resolve(error));
  return promise;
}

export function open(
  gateway: Pick<TestGateway, 'grpcAddress'>,
  method: string,
  params: unknown,
  headers: Record<string, string> = HEADERS,
  deadline = Infinity,
) {
  const call = grpcMethod(connect(gateway), method)(toRequest(method, params), toMetadata(headers), { deadline });
  return withEnd(call);
}

export async function hold(gateway: TestGateway): Promise<string> {
  const { body } = await send(gateway, 'hold', { configuration: { returnImmediately: true } });
  return body.result.task.id as string;
}

const LegacyClient = makeGenericClientConstructor(LegacyA2AService, 'A2AService');

/** A subscription to a task, in either version of the protocol; `textOf` is the first text of an event's artifact. */
export const SUBSCRIPTIONS: readonly (readonly [version: string, subscription: Subscription])[] = [
  [
    '1.0',
    {
      open: (gateway, id, deadline) => open(gateway, 'SubscribeToTask', { id }, HEADERS, deadline),
      textOf: (event) =>
        toAnswer('SubscribeToTask', event).artifactUpdate?.artifact.parts[0].text as string | undefined,
    },
  ],
  [
    '0.3',
    {
      open(gateway, id, deadline = Infinity) {
        const client = new LegacyClient(gateway.grpcAddress, credentials.createInsecure());
        clients.push(client);
        const metadata = toMetadata({ Authorization: HEADERS.Authorization });
        return withEnd(grpcMethod(client, 'TaskSubscription')({ name: `tasks/${id}` }, metadata, { deadline }));
      },
      textOf(event) {
        const { payload } = event as { payload: { $case: string; value: { artifact?: { parts: unknown[] } } } };
        const [part] = (payload.value.artifact?.parts ?? []) as { part: { value: string } }[];
        return part?.part.value;
      },
    },
  ],
];

export interface Subscription {
  open(gateway: Pick<TestGateway, 'grpcAddress'>, id: string, deadline?: number): ReturnType<typeof open>;
  textOf(event: unknown): string | undefined;
}

function withEnd(call: ClientReadableStream<unknown>) {
  const ended = Promise.withResolvers<ServiceError | undefined>();
  call.on('error', (error: ServiceError) => ended.resolve(error));
  call.on('end', () => ended.resolve(undefined));
  return { call, ended: ended.promise };
}
