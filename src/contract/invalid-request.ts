import type { z } from 'zod';
import { Failure, type FieldViolation } from '../domain/failure.ts';

/**
 * Reads what arrived with a schema.
 * @param field name of the value itself, that paths begin with; may be empty.
 * @throws {Failure} `invalid-request` with one violation for each thing that is wrong.
 */
export function parseWith<Schema extends z.ZodType>(schema: Schema, value: unknown, field: string): z.output<Schema> {
  const parsed = schema.safeParse(value, {
    error: ({ input }) => (input === undefined ? 'is required' : undefined),
  });
  if (parsed.success) return parsed.data;
  throw invalidRequest(
    parsed.error.issues.map(({ path, message }) => ({ field: fieldPath(field, path), description: plain(message) })),
  );
}

/** An error of a schema: this text, or that the field is required where it is not there at all. */
export function orRequired(text: string) {
  return ({ input }: { readonly input?: unknown }): string => (input === undefined ? 'is required' : text);
}

const VIOLATIONS_MAX = 20;

export function invalidRequest(violations: readonly FieldViolation[]): Failure {
  const [first] = violations;
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : '';
  const text = first === undefined ? 'Invalid request' : `${first.field} ${first.description}${more}`.trim();
  return new Failure('invalid-request', text, { violations: violations.slice(0, VIOLATIONS_MAX) });
}

/** `message.parts[0].text` */
function fieldPath(start: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? String(step) : `${text}.${String(step)}`;
  }, start);
}

function plain(message: string): string {
  return message.replace(/^Invalid input: expected/, 'must be').replace(/^Invalid input$/, 'is not valid');
}
