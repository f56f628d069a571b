import { Failure, type FieldViolation } from '../../domain/failure.ts';
import type { Json } from '../../domain/json.ts';

export type QueryFields = Readonly<Record<string, QueryType>>;
type QueryType = keyof typeof READERS;

/** A2A 1.0 §11.5: how the text of a query becomes a field of the request. Undefined: it does not. */
const READERS = {
  text: (value: string): Json | undefined => value,
  integer: (value: string): Json | undefined => (/^-?\d{1,15}$/.test(value) ? Number(value) : undefined),
  boolean: (value: string): Json | undefined => (value === 'true' ? true : value === 'false' ? false : undefined),
};

const EXPECTED: Readonly<Record<QueryType, string>> = {
  text: 'must be a string',
  integer: 'must be a whole number',
  boolean: 'must be true or false',
};

/**
 * Reads the known fields, in camelCase; every request has a tenant, so every query may name one. Others are ignored, as unknown
 * fields are in a body.
 * @throws {Failure} `invalid-request` with a violation for each field that is repeated or cannot be read.
 */
export function readQuery(query: URLSearchParams, known: QueryFields = {}): Readonly<Record<string, Json>> {
  const violations: FieldViolation[] = [];
  const fields: Record<string, Json> = {};
  for (const [field, type] of Object.entries<QueryType>({ ...known, tenant: 'text' })) {
    const [text, ...others] = query.getAll(field);
    if (text === undefined) continue;
    const value = READERS[type](text);
    if (others.length > 0) violations.push({ field, description: 'is given more than once' });
    else if (value === undefined) violations.push({ field, description: EXPECTED[type] });
    else fields[field] = value;
  }
  const [first] = violations;
  if (first === undefined) return fields;
  throw new Failure('invalid-request', `${first.field} ${first.description}`, { violations });
}
