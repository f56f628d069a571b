import type { Call } from './call.ts';
import type { Operations } from './operations/operations.ts';
import {
  parseCreatePushConfig,
  parseGetTaskRequest,
  parseListPushConfigs,
  parsePushConfigName,
  parseListTasksRequest,
  parseSendRequest,
  parseTaskRequest,
  parseTenant,
} from './requests.ts';
import type { StreamFrame } from './stream-frame.ts';

export type Method =
  | { readonly kind: 'unary'; readonly invoke: (params: unknown, call: Call) => Promise<unknown> }
  | { readonly kind: 'stream'; readonly open: (params: unknown, call: Call) => AsyncGenerator<StreamFrame, void> };

/** A2A 1.0 §5.3: the operations by name, as JSON-RPC calls them (§9.4); they take the ProtoJSON of their requests. */
export function createMethods(operations: Operations): ReadonlyMap<string, Method> {
  return new Map<string, Method>([
    ['SendMessage', unary(parseSendRequest, operations.sendMessage)],
    ['SendStreamingMessage', stream(parseSendRequest, operations.sendStreamingMessage)],
    ['GetTask', unary(parseGetTaskRequest, operations.getTask)],
    ['ListTasks', unary(parseListTasksRequest, operations.listTasks)],
    ['CancelTask', unary(parseTaskRequest, operations.cancelTask)],
    ['SubscribeToTask', stream(parseTaskRequest, operations.subscribeToTask)],
    ['CreateTaskPushNotificationConfig', unary(parseCreatePushConfig, operations.createTaskPushNotificationConfig)],
    ['GetTaskPushNotificationConfig', unary(parsePushConfigName, operations.getTaskPushNotificationConfig)],
    ['ListTaskPushNotificationConfigs', unary(parseListPushConfigs, operations.listTaskPushNotificationConfigs)],
    ['DeleteTaskPushNotificationConfig', unary(parsePushConfigName, operations.deleteTaskPushNotificationConfig)],
    ['GetExtendedAgentCard', unary(asIs, operations.getExtendedAgentCard)],
  ]);
}

function unary<Request>(
  parse: (params: unknown) => Request,
  operation: (request: Request, call: Call) => Promise<unknown>,
): Method {
  return { kind: 'unary', invoke: async (params, call) => operation(parse(params), withTenant(params, call)) };
}

function stream<Request>(
  parse: (params: unknown) => Request,
  operation: (request: Request, call: Call) => AsyncGenerator<StreamFrame, void>,
): Method {
  return { kind: 'stream', open: (params, call) => operation(parse(params), withTenant(params, call)) };
}

/** The field `tenant` of every request; empty is none. */
function withTenant(params: unknown, call: Call): Call {
  const { tenant } = parseTenant(params);
  return tenant === undefined ? call : { ...call, tenant };
}

function asIs(params: unknown): unknown {
  return params;
}
