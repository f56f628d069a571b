/** The same request over each binding. */
import { once } from 'node:events';
import type { ServiceError } from '@grpc/grpc-js';
import { openStream, readEventStream, HEADERS, rpc, type EventStream } from '../support/gateway.ts';
import { connectGrpc, grpcMethod, rpcStatusOf, toAnswer, toMetadata, toRequest } from './grpc-client.ts';

export interface BindingAnswer {
  /** What the operation gave; undefined with an error. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into whatever came
  readonly result: any;
  /** `google.rpc.ErrorInfo`'s reason, and the fields of `BadRequest`; undefined with a result. */
  readonly error: { readonly reason: string; readonly message: string; readonly fields: readonly string[] } | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Where a gateway answers. */
export interface Place {
  readonly url: string;
  readonly grpcAddress: string;
}

export interface Binding {
  /** Can say what has no place in a protocol buffer, such as a word for a number. */
  readonly isText: boolean;
  /** Tells where in a stream an event stands. */
  readonly hasCursors: boolean;
  call(place: Place, method: string, params: Fields, headers?: Record<string, string>): Promise<BindingAnswer>;
  open(
    place: Place,
    method: string,
    params: Fields,
    headers?: Record<string, string>,
  ): Promise<Pick<EventStream, 'next' | 'rest'> & AsyncDisposable>;
  /** The event of the protocol within an SSE event's data. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into whatever came
  eventOf(data: any): any;
}

interface Detail {
  readonly reason?: string;
  readonly fieldViolations?: readonly { readonly field: string }[];
}

function errorOf(message: string, details: readonly Detail[]): BindingAnswer['error'] {
  return {
    reason: details[0]?.reason ?? '',
    message,
    fields: details.flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field)),
  };
}

const jsonRpc: Binding = {
  isText: true,
  hasCursors: true,
  async call({ url }, method, params, headers = HEADERS) {
    const { body } = await rpc(url, method, params, headers);
    return { result: body.result, error: body.error && errorOf(body.error.message, body.error.data) };
  },
  open: ({ url }, method, params, headers) => openStream(url, method, params, headers),
  eventOf: ({ result }) => result,
};

/** Which part of a request is where, written down apart from the product's own table. */
const REST: Readonly<Record<string, (params: Fields) => [verb: string, path: string, isInPath: readonly string[]]>> = {
  SendMessage: () => ['POST', '/message:send', []],
  SendStreamingMessage: () => ['POST', '/message:stream', []],
  GetTask: ({ id }) => ['GET', `/tasks/${encode(id)}`, ['id']],
  ListTasks: () => ['GET', '/tasks', []],
  CancelTask: ({ id }) => ['POST', `/tasks/${encode(id)}:cancel`, ['id']],
  SubscribeToTask: ({ id }) => ['POST', `/tasks/${encode(id)}:subscribe`, ['id']],
  CreateTaskPushNotificationConfig: ({ taskId }) => [
    'POST',
    `/tasks/${encode(taskId)}/pushNotificationConfigs`,
    ['taskId'],
  ],
  GetTaskPushNotificationConfig: ({ taskId, id }) => [
    'GET',
    `/tasks/${encode(taskId)}/pushNotificationConfigs/${encode(id)}`,
    ['taskId', 'id'],
  ],
  ListTaskPushNotificationConfigs: ({ taskId }) => [
    'GET',
    `/tasks/${encode(taskId)}/pushNotificationConfigs`,
    ['taskId'],
  ],
  DeleteTaskPushNotificationConfig: ({ taskId, id }) => [
    'DELETE',
    `/tasks/${encode(taskId)}/pushNotificationConfigs/${encode(id)}`,
    ['taskId', 'id'],
  ],
  GetExtendedAgentCard: () => ['GET', '/extendedAgentCard', []],
};

const encode = (segment: unknown): string => encodeURIComponent(String(segment));

function restRequest(url: string, method: string, params: Fields, headers: Record<string, string>): Request {
  const { tenant, ...fields } = params;
  const [verb, path, isInPath] = REST[method]!(params);
  const others = Object.entries(fields).filter(([name]) => !isInPath.includes(name));
  const prefix = tenant === undefined ? '' : `/${encode(tenant)}`;
  const query = new URLSearchParams(
    Object.fromEntries(others.map(([name, value]) => [name, String(value)])),
  ).toString();
  return new Request(`${url}/a2a/rest${prefix}${path}${verb === 'GET' ? `?${query}` : ''}`, {
    method: verb,
    headers,
    ...(verb === 'POST' && others.length > 0 && { body: JSON.stringify(Object.fromEntries(others)) }),
  });
}

const rest: Binding = {
  isText: true,
  hasCursors: true,
  async call({ url }, method, params, headers = HEADERS) {
    const response = await fetch(restRequest(url, method, params, headers));
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into whatever came
    const body = (await response.json()) as any;
    return response.ok
      ? { result: body, error: undefined }
      : { result: undefined, error: errorOf(body.error.message, body.error.details) };
  },
  async open({ url }, method, params, headers = HEADERS) {
    return readEventStream((signal) => fetch(restRequest(url, method, params, headers), { signal }));
  },
  eventOf: (data) => data,
};

const grpc: Binding = {
  isText: false,
  hasCursors: false,
  async call({ grpcAddress }, method, params, headers = HEADERS) {
    const client = connectGrpc(grpcAddress);
    try {
      const call = grpcMethod(client, method);
      if (['SendStreamingMessage', 'SubscribeToTask'].includes(method)) {
        const stream = call(toRequest(method, params), toMetadata(headers));
        await once(stream, 'data'); // or an error, which is thrown
        stream.on('error', () => undefined).cancel();
        throw new Error(`${method} gave a stream, and no error`);
      }
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      call(toRequest(method, params), toMetadata(headers), (error, answer) =>
        error === null ? resolve(answer) : reject(error),
      );
      return { result: toAnswer(method, await promise), error: undefined };
    } catch (error) {
      if (!(error instanceof Error && 'metadata' in error)) throw error;
      const { message, details } = rpcStatusOf(error as ServiceError);
      return { result: undefined, error: errorOf(message, details) };
    } finally {
      client.close();
    }
  },
  async open({ grpcAddress }, method, params, headers = HEADERS) {
    const client = connectGrpc(grpcAddress);
    const call = grpcMethod(client, method)(toRequest(method, params), toMetadata(headers));
    const events = call[Symbol.asyncIterator]() as AsyncIterator<unknown, undefined>;
    const next = async () => {
      const { value, done } = await events.next();
      return done === true ? undefined : { data: toAnswer(method, value) as unknown };
    };
    return {
      next,
      async rest() {
        const all = [];
        for (let event = await next(); event !== undefined; event = await next()) all.push(event);
        return all;
      },
      async [Symbol.asyncDispose]() {
        call.on('error', () => undefined);
        call.cancel();
        client.close();
      },
    };
  },
  eventOf: (data) => data,
};

export const BINDINGS: readonly (readonly [name: string, binding: Binding])[] = [
  ['JSON-RPC', jsonRpc],
  ['HTTP+JSON', rest],
  ['gRPC', grpc],
];
