/** Messages as they arrive: ProtoJSON of A2A 1.0 §4.1.4 in, the domain's Message out. */
import { z } from 'zod';
import type { Message, Part } from '../domain/a2a.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import { protoObject } from './field-spelling.ts';
import { orRequired, parseWith } from './invalid-request.ts';
import { checkJson } from './json-guard.ts';

const REFERENCES_MAX = 100;
const ID_CHARACTERS_MAX = 1024;

const id = z
  .string({ error: orRequired('must be a string') })
  .max(ID_CHARACTERS_MAX, `must not be longer than ${ID_CHARACTERS_MAX} characters`);
const requiredId = id.min(1, 'is required');
/** In protobuf an empty string is a field that is not there. */
const optionalId = id.optional().transform((value) => (value === '' ? undefined : value));

const text = z.string('must be a string');
/** `checkJson` has seen the whole value. */
const json = z.custom<Json>((value) => value !== undefined);
const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
);

/** ProtoJSON takes both alphabets, with and without padding; one spelling goes on. */
const base64 = text.transform((value, context) => {
  const standard = value.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  if (!/^[A-Za-z0-9+/]*$/.test(standard) || standard.length % 4 === 1) {
    context.issues.push({ code: 'custom', message: 'must be base64', input: value });
    return z.NEVER;
  }
  return Buffer.from(standard, 'base64').toString('base64');
});

const CONTENTS = ['text', 'raw', 'url', 'data'] as const;

const partSchema = protoObject(
  {
    text: text.optional(),
    raw: base64.optional(),
    url: text.min(1, 'must not be empty').optional(),
    data: json.optional(),
    filename: text.optional(),
    mediaType: text.optional(),
    metadata: jsonObject.optional(),
  },
  { nullIsValue: ['data'] },
).superRefine((part, context) => {
  const contents = CONTENTS.filter((content) => part[content] !== undefined);
  if (contents.length === 1) return;
  const found = contents.length === 0 ? 'has none' : `has ${contents.join(' and ')}`;
  context.addIssue({ code: 'custom', message: `must hold exactly one of text, raw, url and data, and ${found}` });
});

/** ProtoJSON takes an enum's number for its name. */
const ROLES = new Map<unknown, Message['role']>([
  ['ROLE_USER', 'ROLE_USER'],
  ['ROLE_AGENT', 'ROLE_AGENT'],
  [1, 'ROLE_USER'],
  [2, 'ROLE_AGENT'],
]);

const role = z.unknown().transform((value, context) => {
  const known = ROLES.get(value);
  if (known !== undefined) return known;
  const message = value === undefined ? 'is required' : 'must be ROLE_USER or ROLE_AGENT';
  context.issues.push({ code: 'custom', message, input: value });
  return z.NEVER;
});

const strings = z
  .array(text, 'must be a list of strings')
  .optional()
  .transform((list) => (list?.length === 0 ? undefined : list));

const messageSchema = protoObject({
  messageId: requiredId,
  contextId: optionalId,
  taskId: optionalId,
  role,
  parts: z.array(partSchema, { error: orRequired('must be a list') }).min(1, 'must hold at least one part'),
  metadata: jsonObject.optional(),
  extensions: strings,
  referenceTaskIds: strings.refine(
    (ids) => (ids?.length ?? 0) <= REFERENCES_MAX,
    `must not name more than ${REFERENCES_MAX} tasks`,
  ),
});

/** A2A 1.0 §3.2.2. */
export interface SendConfiguration {
  readonly returnImmediately: boolean;
  /** Absent: the server's default. 0: no history. */
  readonly historyLength?: number;
  /** Empty: any. */
  readonly acceptedOutputModes: readonly string[];
  /** As it came; set only so that it can be refused or taken. */
  readonly taskPushNotificationConfig?: JsonObject;
}

export interface SendRequest {
  readonly message: Message;
  readonly configuration: SendConfiguration;
  readonly metadata?: JsonObject;
}

const configurationSchema = protoObject({
  returnImmediately: z.boolean('must be true or false').default(false),
  historyLength: z.int('must be a whole number').min(0, 'must not be negative').optional(),
  acceptedOutputModes: z.array(text, 'must be a list of strings').default([]),
  taskPushNotificationConfig: jsonObject.optional(),
});

const sendRequestSchema = protoObject({
  message: messageSchema,
  configuration: configurationSchema.prefault({}),
  metadata: jsonObject.optional(),
});

/**
 * Reads a message from ProtoJSON. Fields that are not known are left out.
 * @throws {Failure} `invalid-request` with a violation for each field that is wrong, such as `message.parts[0]`.
 */
export function parseMessage(value: unknown): Message {
  checkJson(value, 'message');
  return toMessage(parseWith(messageSchema, value, 'message'));
}

/**
 * Reads the parameters of SendMessage and SendStreamingMessage.
 * @throws {Failure} `invalid-request`, as `parseMessage`; its fields start at the parameters (`configuration.historyLength`).
 */
export function parseSendRequest(value: unknown): SendRequest {
  checkJson(value, '');
  const { message, configuration, metadata } = parseWith(sendRequestSchema, value, '');
  return {
    message: toMessage(message),
    configuration: withoutUndefined(configuration),
    ...(metadata !== undefined && { metadata }),
  };
}

function toMessage(message: z.output<typeof messageSchema>): Message {
  return withoutUndefined({ ...message, parts: message.parts.map((part): Part => withoutUndefined(part)) });
}

/** What Zod types as `field?: T | undefined`, with the fields that are undefined left out. */
type Defined<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

function withoutUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>;
}
