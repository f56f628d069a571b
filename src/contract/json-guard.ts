/** What JSON that arrives may be like, before anything recursive looks at it. */
import { Failure } from '../domain/failure.ts';
import type { Json } from '../domain/json.ts';

/** Deeper JSON is refused: validators, converters and canonical JSON are all recursive, and no message needs it. */
const JSON_LEVELS_MAX = 100;

/**
 * Lets through JSON values of at most `JSON_LEVELS_MAX` levels, whose strings are Unicode text: half of a surrogate pair
 * has no UTF-8 form (protobuf) and no canonical one (RFC 8785). NUL is a character like others. Needs no stack of its own
 * depth.
 * @param field where the value stands, for the failure.
 * @throws {Failure} `invalid-request`
 */
export function checkJson(value: unknown, field: string): asserts value is Json {
  const refuse = (description: string): never => {
    throw new Failure('invalid-request', field === '' ? description : `${field}: ${description}`, {
      violations: [{ field, description }],
    });
  };
  let level: unknown[] = [value];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > JSON_LEVELS_MAX) refuse(`is nested deeper than ${JSON_LEVELS_MAX} levels`);
    const next: unknown[] = [];
    for (const each of level) {
      switch (typeof each) {
        case 'string':
          if (!each.isWellFormed()) refuse('holds half of a surrogate pair, which is no Unicode text');
          break;
        case 'number':
          if (!Number.isFinite(each)) refuse('holds a number that JSON cannot carry');
          break;
        case 'boolean':
          break;
        case 'object':
          if (Array.isArray(each)) {
            for (const element of each) next.push(element);
          } else if (each !== null) {
            for (const [key, member] of Object.entries(each)) {
              if (!key.isWellFormed()) refuse('holds half of a surrogate pair, which is no Unicode text');
              if (member !== undefined) next.push(member); // JSON.stringify leaves it out, too
            }
          }
          break;
        default:
          refuse('holds a value that JSON cannot carry');
      }
    }
    level = next;
  }
}
