import type { Json } from '../src/domain/json.ts';

const DEPTH_MAX = 500;

/** Not JSON; the message names the place, such as `payload.rows[3].at`. */
export class NotJsonError extends Error {
  override readonly name = 'NotJsonError';
}

/**
 * A copy of the value as JSON would carry it; what JSON would silently drop or change is refused, except that a
 * property which is undefined is one that is absent. Objects that say with `toJSON` what they are, such as a Date, are taken
 * at their word.
 * @throws {NotJsonError}
 */
export function toJson(value: unknown, path: string): Json {
  return copy(value, path, []);
}

function copy(value: unknown, path: string, above: readonly object[]): Json {
  switch (typeof value) {
    case 'string':
      return value.toWellFormed(); // half of a surrogate pair has no UTF-8 form
    case 'boolean':
      return value;
    case 'number':
      if (Number.isFinite(value)) return value;
      throw refuse(path, String(value));
    case 'object':
      return value === null ? null : copyObject(value, path, above);
    case 'function':
    case 'symbol':
      throw refuse(path, `a ${typeof value}`);
    case 'bigint':
      throw refuse(path, 'a BigInt');
    default:
      throw refuse(path, 'undefined');
  }
}

function copyObject(value: object, path: string, above: readonly object[]): Json {
  if (above.includes(value)) throw refuse(path, 'a reference to something that holds it');
  if (above.length >= DEPTH_MAX) throw refuse(path, `more than ${DEPTH_MAX} levels deep`);
  const within = [...above, value];
  if (Array.isArray(value)) return Array.from(value, (item, index) => copy(item, `${path}[${index}]`, within));
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    throw refuse(path, 'bytes (write them as an artifact)');
  }
  if (hasToJson(value)) return copy(value.toJSON(), path, within);
  if (!isPlain(value)) throw refuse(path, `a ${constructorOf(value)}`);
  // Without a prototype, a key such as `__proto__` is a key like any other.
  const result = Object.create(null) as Record<string, Json>;
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) result[key] = copy(item, pathOf(path, key), within);
  }
  return { ...result };
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // A plain object of another realm (a vm context) has an Object.prototype of its own.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function constructorOf(value: object): string {
  const { constructor } = value as { constructor?: { name?: unknown } };
  return typeof constructor?.name === 'string' ? constructor.name : 'object of a class';
}

function pathOf(path: string, key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}

function refuse(path: string, what: string): NotJsonError {
  return new NotJsonError(`${path} is ${what}, which JSON cannot carry`);
}
