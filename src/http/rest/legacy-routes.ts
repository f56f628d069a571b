import { toPayload, toProtoCard, toProtoPushConfig, toProtoTask, toPushParams, toSendParams } from './legacy-form.ts';
import type { RestOperation, RouteTable } from './routes.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A method of JSON-RPC in A2A 0.3, and how HTTP+JSON says the same. */
export interface LegacyOperation extends RestOperation {
  readonly toParams: (fields: Fields) => unknown;
  readonly toAnswer: (result: unknown) => unknown;
}

const byTask = ({ taskId }: Fields): Fields => ({ id: taskId });
const byConfig = ({ taskId, id }: Fields): Fields => ({ id: taskId, pushNotificationConfigId: id });
const toTask = (task: unknown): unknown => toProtoTask(task as Fields);

const subscribe = { method: 'tasks/resubscribe', toParams: byTask, toAnswer: toPayload } as const;

/** `google.api.http` in the protocol buffer of A2A 0.3. */
export const LEGACY_ROUTES: RouteTable<LegacyOperation> = [
  [
    '/message:send',
    { POST: { method: 'message/send', body: 'required', toParams: toSendParams, toAnswer: toPayload } },
  ],
  [
    '/message:stream',
    { POST: { method: 'message/stream', body: 'required', toParams: toSendParams, toAnswer: toPayload } },
  ],
  [
    '/tasks/{taskId}:cancel',
    { POST: { method: 'tasks/cancel', body: 'optional', toParams: byTask, toAnswer: toTask } },
  ],
  ['/tasks/{taskId}:subscribe', { GET: subscribe, POST: { ...subscribe, body: 'optional' } }],
  [
    '/tasks/{taskId}',
    {
      GET: {
        method: 'tasks/get',
        query: { historyLength: 'integer', history_length: 'integer' },
        toParams: ({ taskId, historyLength, history_length = historyLength }) => ({
          id: taskId,
          ...(history_length !== undefined && { historyLength: history_length }),
        }),
        toAnswer: toTask,
      },
    },
  ],
  [
    '/tasks/{taskId}/pushNotificationConfigs',
    {
      GET: {
        method: 'tasks/pushNotificationConfig/list',
        toParams: byTask,
        toAnswer: (configs) => ({ configs: (configs as readonly unknown[]).map(toProtoPushConfig) }),
      },
      POST: {
        method: 'tasks/pushNotificationConfig/set',
        body: 'required',
        toParams: toPushParams,
        toAnswer: toProtoPushConfig,
      },
    },
  ],
  [
    '/tasks/{taskId}/pushNotificationConfigs/{id}',
    {
      GET: { method: 'tasks/pushNotificationConfig/get', toParams: byConfig, toAnswer: toProtoPushConfig },
      DELETE: { method: 'tasks/pushNotificationConfig/delete', toParams: byConfig, toAnswer: () => ({}) },
    },
  ],
  [
    '/card',
    {
      GET: {
        method: 'agent/getAuthenticatedExtendedCard',
        toParams: () => ({}),
        toAnswer: (card) => toProtoCard(card as Fields),
      },
    },
  ],
];
