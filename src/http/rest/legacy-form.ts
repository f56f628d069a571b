/**
 * A2A 0.3 writes the same things in two ways: JSON-RPC has objects with a `kind`, HTTP+JSON the ProtoJSON of its protocol buffer
 * (`a2a.v1`). Between the two; what is in neither is passed on as it is, for the operation to refuse.
 */
type Fields = Readonly<Record<string, unknown>>;

const ROLES: readonly (readonly [kind: string, proto: string, number: number])[] = [
  ['user', 'ROLE_USER', 1],
  ['agent', 'ROLE_AGENT', 2],
];

/** Where the protocol buffer has another word than its name in capitals. */
const STATE_NAMES: Readonly<Record<string, string>> = {
  canceled: 'TASK_STATE_CANCELLED',
  unknown: 'TASK_STATE_UNSPECIFIED',
};

/** SendMessageRequest, to the parameters of `message/send`. */
export function toSendParams(request: Fields): Fields {
  const { message, configuration, metadata } = read(request, ['message', 'configuration', 'metadata']);
  return defined({
    message: mapObject(message ?? request['request'], toKindMessage),
    configuration: mapObject(configuration, toKindConfiguration),
    metadata,
  });
}

/** TaskPushNotificationConfig, alone or in a CreateTaskPushNotificationConfigRequest. */
export function toPushParams(request: Fields): Fields {
  const { config } = read(request, ['config']);
  const { pushNotificationConfig } = read(isObject(config) ? config : request, ['pushNotificationConfig']);
  return { taskId: request['taskId'], pushNotificationConfig: mapObject(pushNotificationConfig, toKindPushConfig) };
}

/** A task or a message of JSON-RPC, as a SendMessageResponse; or an event, as a StreamResponse. */
export function toPayload(result: unknown): Fields {
  const { kind } = result as { readonly kind: keyof typeof PAYLOADS };
  return PAYLOADS[kind](result as Fields);
}

const PAYLOADS = {
  task: (task: Fields): Fields => ({ task: toProtoTask(task) }),
  message: (message: Fields): Fields => ({ message: toProtoMessage(message) }),
  'status-update': ({ kind: _, status, ...event }: Fields): Fields => ({
    statusUpdate: { ...event, status: toProtoStatus(status as Fields) },
  }),
  'artifact-update': ({ kind: _, artifact, ...event }: Fields): Fields => ({
    artifactUpdate: { ...event, artifact: toProtoArtifact(artifact as Fields) },
  }),
};

export function toProtoTask({ kind: _, status, artifacts, history, ...task }: Fields): Fields {
  return defined({
    ...task,
    status: toProtoStatus(status as Fields),
    artifacts: (artifacts as readonly Fields[] | undefined)?.map(toProtoArtifact),
    history: (history as readonly Fields[] | undefined)?.map(toProtoMessage),
  });
}

export function toProtoPushConfig(config: unknown): Fields {
  const { taskId, pushNotificationConfig } = config as { taskId: string; pushNotificationConfig: { id?: string } };
  const { id = '' } = pushNotificationConfig;
  return { name: `tasks/${taskId}/pushNotificationConfigs/${id}`, pushNotificationConfig };
}

/** The card, whose security schemes are like those of 1.0 here. */
export function toProtoCard({ securitySchemes, security, ...card }: Fields): Fields {
  return defined({
    ...card,
    securitySchemes: mapObject(securitySchemes, (schemes) =>
      Object.fromEntries(Object.entries(schemes).map(([name, scheme]) => [name, toProtoScheme(scheme as Fields)])),
    ),
    security: (security as readonly Record<string, readonly string[]>[] | undefined)?.map((each) => ({
      schemes: Object.fromEntries(Object.entries(each).map(([name, list]) => [name, { list }])),
    })),
  });
}

function toProtoScheme({ type, in: location, ...scheme }: Fields): Fields {
  return type === 'apiKey' ? { apiKeySecurityScheme: { ...scheme, location } } : { httpAuthSecurityScheme: scheme };
}

function toKindMessage(message: Fields): Fields {
  const names = ['messageId', 'contextId', 'taskId', 'role', 'content', 'metadata', 'extensions'];
  const { role, content, ...others } = read(message, names);
  const known = ROLES.find(([, proto, number]) => role === proto || role === number);
  return defined({
    ...others,
    kind: 'message',
    role: known?.[0] ?? role,
    parts: Array.isArray(content) ? content.map((part: unknown) => mapObject(part, toKindPart)) : content,
  });
}

function toKindPart(part: Fields): Fields {
  const { text, file, data, metadata } = read(part, ['text', 'file', 'data', 'metadata']);
  if (isObject(file)) {
    const { fileWithUri, fileWithBytes, mimeType, name } = read(file, [
      'fileWithUri',
      'fileWithBytes',
      'mimeType',
      'name',
    ]);
    return defined({
      kind: 'file',
      file: defined({ uri: fileWithUri, bytes: fileWithBytes, mimeType, name }),
      metadata,
    });
  }
  if (isObject(data)) return defined({ kind: 'data', data: data['data'] ?? {}, metadata });
  return defined({ kind: 'text', text, metadata });
}

function toKindConfiguration(configuration: Fields): Fields {
  const names = ['acceptedOutputModes', 'pushNotification', 'historyLength', 'blocking'];
  const { pushNotification, historyLength, blocking = false, ...others } = read(configuration, names);
  return defined({
    ...others,
    blocking,
    // Zero is the absence of a number there.
    historyLength: historyLength === 0 ? undefined : historyLength,
    pushNotificationConfig: mapObject(pushNotification, toKindPushConfig),
  });
}

function toKindPushConfig(config: Fields): Fields {
  return defined(read(config, ['id', 'url', 'token', 'authentication']));
}

function toProtoMessage({ kind: _, role, parts, ...message }: Fields): Fields {
  return {
    ...message,
    role: ROLES.find(([kind]) => kind === role)?.[1],
    content: (parts as readonly Fields[]).map(toProtoPart),
  };
}

function toProtoPart({ kind, text, file, data, metadata }: Fields): Fields {
  if (kind === 'text') return defined({ text, metadata });
  if (kind === 'data') return defined({ data: { data }, metadata });
  const { uri, bytes, mimeType, name } = file as Fields;
  return defined({ file: defined({ fileWithUri: uri, fileWithBytes: bytes, mimeType, name }), metadata });
}

function toProtoStatus({ state, message, timestamp }: Fields): Fields {
  const name = String(state);
  return defined({
    state: STATE_NAMES[name] ?? `TASK_STATE_${name.toUpperCase().replaceAll('-', '_')}`,
    message: mapObject(message, toProtoMessage),
    timestamp,
  });
}

function toProtoArtifact({ parts, ...artifact }: Fields): Fields {
  return { ...artifact, parts: (parts as readonly Fields[]).map(toProtoPart) };
}

/** These fields, in either spelling of ProtoJSON; null is one that is not there. */
function read<Name extends string>(fields: Fields, names: readonly Name[]): Record<Name, unknown> {
  const values = names.map((name): [Name, unknown] => {
    const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [name, fields[name] ?? fields[snake] ?? undefined];
  });
  return Object.fromEntries(values) as Record<Name, unknown>;
}

function defined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function mapObject(value: unknown, map: (fields: Fields) => Fields): unknown {
  return isObject(value) ? map(value) : value;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
