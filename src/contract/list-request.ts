/** ListTasks as it arrives: ProtoJSON of A2A 1.0 §3.1.4. */
import { z } from 'zod';
import type { TaskState } from '../domain/a2a.ts';
import { protoObject } from './field-spelling.ts';
import { parseWith } from './invalid-request.ts';

export interface ListTasksRequest {
  readonly contextId?: string;
  readonly status?: TaskState;
  /** Inclusive, milliseconds since 1970. */
  readonly statusTimestampAfter?: number;
  readonly pageSize: number;
  readonly pageToken?: string;
  /** Absent: the server's default. 0: no history. */
  readonly historyLength?: number;
  readonly includeArtifacts: boolean;
}

const PAGE_SIZE_DEFAULT = 50;
const PAGE_SIZE_MAX = 100;

/** In the order of their numbers in the protocol buffer. */
const STATES: readonly (TaskState | undefined)[] = [
  undefined,
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_AUTH_REQUIRED',
];

/** An enum's number is as good as its name; the zero value filters nothing. */
const status = z.union([z.string(), z.number()]).transform((value, context): TaskState | undefined => {
  if (value === 0 || value === 'TASK_STATE_UNSPECIFIED') return undefined;
  const state = typeof value === 'number' ? STATES[value] : STATES.find((each) => each === value);
  if (state !== undefined) return state;
  context.addIssue({ code: 'custom', message: 'must be the name of a task state, such as TASK_STATE_WORKING' });
  return z.NEVER;
});

/** RFC 3339, with any offset, to the millisecond: a part of one that is left over begins the next. */
const timestamp = z.iso
  .datetime({ offset: true, error: 'must be a time as in RFC 3339, such as 2026-01-31T12:00:00Z' })
  .transform((text) => Date.parse(text) + (/\.\d{3}\d*[1-9]/.test(text) ? 1 : 0));

/** In protobuf an empty string is a field that is not there. */
const optionalText = z
  .string('must be a string')
  .optional()
  .transform((value) => (value === '' ? undefined : value));

const schema = protoObject({
  contextId: optionalText,
  status: status.optional(),
  statusTimestampAfter: timestamp.optional(),
  pageSize: z
    .int('must be a whole number')
    .min(1, `must be 1 to ${PAGE_SIZE_MAX}`)
    .max(PAGE_SIZE_MAX, `must be 1 to ${PAGE_SIZE_MAX}`)
    .optional(),
  pageToken: optionalText,
  historyLength: z.int('must be a whole number').min(0, 'must not be negative').optional(),
  includeArtifacts: z.boolean('must be true or false').optional(),
});

/** @throws {Failure} `invalid-request` */
export function parseListTasksRequest(params: unknown): ListTasksRequest {
  const { contextId, status, statusTimestampAfter, pageSize, pageToken, historyLength, includeArtifacts } = parseWith(
    schema,
    params ?? {},
    '',
  );
  return {
    ...(contextId !== undefined && { contextId }),
    ...(status !== undefined && { status }),
    ...(statusTimestampAfter !== undefined && { statusTimestampAfter }),
    pageSize: pageSize ?? PAGE_SIZE_DEFAULT,
    ...(pageToken !== undefined && { pageToken }),
    ...(historyLength !== undefined && { historyLength }),
    includeArtifacts: includeArtifacts ?? false,
  };
}
