/** What the operations other than sending take, out of the ProtoJSON of their requests. */
import { z } from 'zod';
import { protoObject } from '../contract/field-spelling.ts';
import { parseWith } from '../contract/invalid-request.ts';

export interface GetTaskRequest {
  readonly id: string;
  /** Absent: the server's default. 0: no history. */
  readonly historyLength: number | undefined;
}

export interface TaskRequest {
  readonly id: string;
}

const id = z.string('must be a string').min(1, 'is required');
const historyLength = z.int('must be a whole number').min(0, 'must not be negative').optional();

const getTaskSchema = protoObject({ id, historyLength });
const taskSchema = protoObject({ id });

/** @throws {Failure} `invalid-request` */
export function parseGetTaskRequest(params: unknown): GetTaskRequest {
  const request = parseWith(getTaskSchema, params, '');
  return { id: request.id, historyLength: request.historyLength };
}

/**
 * CancelTask and SubscribeToTask.
 * @throws {Failure} `invalid-request`
 */
export function parseTaskRequest(params: unknown): TaskRequest {
  return parseWith(taskSchema, params, '');
}

const tenantSchema = protoObject({ tenant: z.string('must be a string').optional() });

/**
 * The tenant of a request of any operation.
 * @throws {Failure} `invalid-request`
 */
export function parseTenant(params: unknown): { readonly tenant?: string } {
  const { tenant } = parseWith(tenantSchema, params ?? {}, '');
  return tenant === undefined || tenant === '' ? {} : { tenant };
}

export { parseListTasksRequest } from '../contract/list-request.ts';
export { parseCreatePushConfig, parseListPushConfigs, parsePushConfigName } from '../contract/push-config.ts';
/** SendMessage and SendStreamingMessage. */
export { parseSendRequest } from '../contract/message.ts';
