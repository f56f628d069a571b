/** The same request over each binding. */
import { openStream, readEventStream, HEADERS, rpc, type EventStream } from '../support/gateway.ts';

export interface BindingAnswer {
  /** What the operation gave; undefined with an error. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into whatever came
  readonly result: any;
  /** `google.rpc.ErrorInfo`'s reason, and the fields of `BadRequest`; undefined with a result. */
  readonly error: { readonly reason: string; readonly message: string; readonly fields: readonly string[] } | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

export interface Binding {
  call(url: string, method: string, params: Fields, headers?: Record<string, string>): Promise<BindingAnswer>;
  open(url: string, method: string, params: Fields, headers?: Record<string, string>): Promise<EventStream>;
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
  async call(url, method, params, headers = HEADERS) {
    const { body } = await rpc(url, method, params, headers);
    return { result: body.result, error: body.error && errorOf(body.error.message, body.error.data) };
  },
  open: openStream,
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
  async call(url, method, params, headers = HEADERS) {
    const response = await fetch(restRequest(url, method, params, headers));
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into whatever came
    const body = (await response.json()) as any;
    return response.ok
      ? { result: body, error: undefined }
      : { result: undefined, error: errorOf(body.error.message, body.error.details) };
  },
  async open(url, method, params, headers = HEADERS) {
    return readEventStream((signal) => fetch(restRequest(url, method, params, headers), { signal }));
  },
  eventOf: (data) => data,
};

export const BINDINGS: readonly (readonly [name: string, binding: Binding])[] = [
  ['JSON-RPC', jsonRpc],
  ['HTTP+JSON', rest],
];
