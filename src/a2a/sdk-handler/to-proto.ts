/**
 * An SDK object out of ProtoJSON. The SDK takes `data: null`, which is a value (google.protobuf.Value), for a part without any
 * content: https://github.com/a2aproject/a2a-js/issues/642
 */
export function toProto<Message>(codec: { fromJSON(json: unknown): Message }, json: unknown): Message {
  const message = codec.fromJSON(json);
  restoreNulls(message, json);
  return message;
}

function restoreNulls(message: unknown, json: unknown): void {
  if (!isObject(message) || !isObject(json)) return;
  for (const [name, value] of Object.entries(json)) {
    // Metadata and data are the same on both sides, whatever they hold.
    if (name === 'metadata' || name === 'data' || !isObject(value)) continue;
    const other = message[name] ?? (isCase(message['payload'], name) ? message['payload'].value : undefined);
    if (name === 'parts') restoreParts(other, value);
    else restoreNulls(other, value);
  }
}

function restoreParts(parts: unknown, json: unknown): void {
  if (!Array.isArray(parts) || !Array.isArray(json)) return;
  for (const [index, part] of json.entries()) {
    const message: unknown = parts[index];
    const isNull = isObject(part) && part['data'] === null;
    if (isNull && isObject(message)) message['content'] = { $case: 'data', value: null };
  }
}

function isCase(payload: unknown, name: string): payload is { readonly value: unknown } {
  return isObject(payload) && payload['$case'] === name;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
