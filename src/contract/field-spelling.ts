/**
 * ProtoJSON lets a field be spelled in camelCase and in snake_case, and lets `null` stand for a field that is not there.
 * Schemas see one spelling.
 */
import { z } from 'zod';
import { orRequired } from './invalid-request.ts';

/**
 * Takes `schema`'s fields in either spelling and leaves out those that are null, unless null is one of the field's own
 * values (`nullIsValue`: a google.protobuf.Value).
 */
export function protoObject<Shape extends z.ZodRawShape>(
  shape: Shape,
  { nullIsValue = [] }: { nullIsValue?: readonly string[] } = {},
) {
  const nameBySpelling = new Map(
    Object.keys(shape).flatMap((name) => [[name, name] as const, [snakeCase(name), name] as const]),
  );
  return z
    .record(z.string(), z.unknown(), { error: orRequired('must be an object') })
    .transform((fields, context) => {
      const named = new Map<string, unknown>();
      for (const [spelling, value] of Object.entries(fields)) {
        const name = nameBySpelling.get(spelling);
        if (name === undefined || (value === null && !nullIsValue.includes(name))) continue;
        if (named.has(name)) {
          context.issues.push({ code: 'custom', path: [name], message: 'is given in two spellings', input: value });
        }
        named.set(name, value);
      }
      return Object.fromEntries(named);
    })
    .pipe(z.object(shape));
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
