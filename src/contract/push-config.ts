/** Push notification configurations as they arrive: ProtoJSON of A2A 1.0 §4.3.1. */
import { z } from 'zod';
import { protoObject } from './field-spelling.ts';
import { orRequired, parseWith } from './invalid-request.ts';
import { checkJson } from './json-guard.ts';

const ID_CHARACTERS_MAX = 255;
const SECRET_CHARACTERS_MAX = 8192;
const SCHEME_CHARACTERS_MAX = 100;

/** In protobuf an empty string is a field that is not there. */
const emptyIsNone = (value: string | undefined) => (value === '' ? undefined : value);

const requiredText = z.string({ error: orRequired('must be a string') }).min(1, 'is required');
const taskId = requiredText;
const id = z
  .string('must be a string')
  .max(ID_CHARACTERS_MAX, `must not be longer than ${ID_CHARACTERS_MAX} characters`)
  .refine((value) => !/\p{Cc}/u.test(value), 'must hold no control characters');

/** What goes into a header as it is: a line break would begin another one (RFC 9110 §5.5). */
const headerText = z
  .string('must be a string')
  .max(SECRET_CHARACTERS_MAX, `must not be longer than ${SECRET_CHARACTERS_MAX} characters`)
  .refine((value) => /^[\x20-\x7e]*$/.test(value), 'must hold printable ASCII characters alone: it becomes a header')
  .refine((value) => value.trim() === value, 'must not begin or end with white space');

const scheme = z
  .string({ error: orRequired('must be a string') })
  .min(1, 'is required')
  .max(SCHEME_CHARACTERS_MAX, `must not be longer than ${SCHEME_CHARACTERS_MAX} characters`)
  .refine((value) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]*$/.test(value), 'must be a token (RFC 9110)');

const authentication = protoObject({
  scheme,
  credentials: headerText.optional().transform(emptyIsNone),
});

const fields = {
  id: id.optional().transform(emptyIsNone),
  url: requiredText,
  token: headerText.optional().transform(emptyIsNone),
  authentication: authentication.optional(),
};

const inlineSchema = protoObject(fields);
const createSchema = protoObject({ taskId, ...fields });
const oneSchema = protoObject({ taskId, id: requiredText });
const listSchema = protoObject({
  taskId,
  pageSize: z.int('must be a whole number').min(0, 'must not be negative').optional(),
  pageToken: z.string('must be a string').optional(),
});

export interface PushConfigRequest {
  /** Absent: the server chooses one. */
  readonly id?: string | undefined;
  readonly url: string;
  readonly token?: string | undefined;
  readonly authentication?: { readonly scheme: string; readonly credentials?: string | undefined } | undefined;
}

/**
 * The configuration of SendMessage and SendStreamingMessage; its `taskId` says nothing, as the message says which task it is.
 * @throws {Failure} `invalid-request`
 */
export function parseInlinePushConfig(value: unknown): PushConfigRequest {
  return parseWith(inlineSchema, value, INLINE_FIELD);
}

export const INLINE_FIELD = 'configuration.taskPushNotificationConfig';

/** @throws {Failure} `invalid-request` */
export function parseCreatePushConfig(params: unknown): PushConfigRequest & { readonly taskId: string } {
  checkJson(params, '');
  return parseWith(createSchema, params, '');
}

/**
 * GetTaskPushNotificationConfig and DeleteTaskPushNotificationConfig.
 * @throws {Failure} `invalid-request`
 */
export function parsePushConfigName(params: unknown): { readonly taskId: string; readonly id: string } {
  return parseWith(oneSchema, params, '');
}

/** All are on the first page. @throws {Failure} `invalid-request` */
export function parseListPushConfigs(params: unknown): { readonly taskId: string } {
  return parseWith(listSchema, params, '');
}
