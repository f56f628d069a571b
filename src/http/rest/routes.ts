import { Failure } from '../../domain/failure.ts';
import { RefusedRequest } from '../refused-request.ts';
import type { QueryFields } from './read-query.ts';

export type Verb = 'GET' | 'POST' | 'DELETE';

export interface RestOperation {
  /** Name in the register of methods. */
  readonly method: string;
  /** Fields of the request that the query may set. */
  readonly query?: QueryFields;
  /** None: whatever is sent is not read. Where it is optional a client that sends nothing may still name a content type. */
  readonly body?: 'required' | 'optional';
}

/** The first path that fits is taken; each `{name}` in it is one segment. */
export type RouteTable<Operation extends RestOperation = RestOperation> = readonly (readonly [
  path: string,
  operations: Partial<Record<Verb, Operation>>,
])[];

/** A2A 1.0 §11.3, and `google.api.http` in the protocol buffer. */
export const ROUTES: RouteTable = [
  ['/message:send', { POST: { method: 'SendMessage', body: 'required' } }],
  ['/message:stream', { POST: { method: 'SendStreamingMessage', body: 'required' } }],
  [
    '/tasks',
    {
      GET: {
        method: 'ListTasks',
        query: {
          contextId: 'text',
          status: 'text',
          pageSize: 'integer',
          pageToken: 'text',
          historyLength: 'integer',
          statusTimestampAfter: 'text',
          includeArtifacts: 'boolean',
        },
      },
    },
  ],
  ['/tasks/{id}:cancel', { POST: { method: 'CancelTask', body: 'optional' } }],
  [
    '/tasks/{id}:subscribe',
    // GET in the protocol buffer, POST in the text (§11.3.2) and in most clients.
    { GET: { method: 'SubscribeToTask' }, POST: { method: 'SubscribeToTask', body: 'optional' } },
  ],
  ['/tasks/{id}', { GET: { method: 'GetTask', query: { historyLength: 'integer' } } }],
  [
    '/tasks/{taskId}/pushNotificationConfigs',
    {
      GET: { method: 'ListTaskPushNotificationConfigs', query: { pageSize: 'integer', pageToken: 'text' } },
      POST: { method: 'CreateTaskPushNotificationConfig', body: 'required' },
    },
  ],
  [
    '/tasks/{taskId}/pushNotificationConfigs/{id}',
    {
      GET: { method: 'GetTaskPushNotificationConfig' },
      DELETE: { method: 'DeleteTaskPushNotificationConfig' },
    },
  ],
  ['/extendedAgentCard', { GET: { method: 'GetExtendedAgentCard' } }],
];

export interface RouteMatch<Operation> {
  readonly operation: Operation;
  /** Fields of the request that the path sets. */
  readonly fields: ReadonlyMap<string, string>;
}

/**
 * @param path below the binding's URL, as it came.
 * @throws {RefusedRequest} 404, or 405 with what is allowed
 * @throws {Failure} `task-not-found` when a segment is not UTF-8: nothing is named so.
 */
export type FindRoute<Operation> = (httpMethod: string, path: string) => RouteMatch<Operation>;

/** @param prefixes that the paths may have, in this order: what means something without a tenant is not a tenant's. */
export function createRouter<Operation extends RestOperation>(
  table: RouteTable<Operation>,
  prefixes: readonly string[],
): FindRoute<Operation> {
  const scopes = prefixes.map((prefix) =>
    table.map(([path, operations]) => ({ pattern: patternOf(prefix + path), operations })),
  );
  return function findRoute(httpMethod, path) {
    let allowed: string | undefined;
    for (const routes of scopes) {
      const route = routes.find(({ pattern }) => pattern.test(path));
      if (route === undefined) continue;
      const found = Object.entries(route.operations).find(([verb]) => verb === httpMethod);
      if (found !== undefined) return { operation: found[1], fields: fieldsOf(route.pattern, path) };
      // `/tasks/message:send` is a task that cannot be sent to, or a tenant called `tasks` that can.
      allowed ??= Object.keys(route.operations).join(', ');
    }
    if (allowed === undefined) throw new RefusedRequest(404, 'unsupported-operation', 'Not found');
    throw new RefusedRequest(405, 'unsupported-operation', 'Method not allowed', { Allow: allowed });
  };
}

function fieldsOf(pattern: RegExp, path: string): ReadonlyMap<string, string> {
  const segments = Object.entries(pattern.exec(path)?.groups ?? {});
  return new Map(segments.map(([name, segment]) => [name, decodeSegment(segment)]));
}

/** Each `{name}` stands for a segment, or the part of it before a `:verb`. */
function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Failure('task-not-found', 'Task not found');
  }
}
