/** JSON Schema 2020-12, as publications and stages use it. */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { FieldViolation } from '../domain/failure.ts';
import type { Json, JsonObject } from '../domain/json.ts';

/**
 * One for all schemas, as making it costs more than any of them. It remembers none by its $id, as two may have the same.
 * Formats are annotations in 2020-12.
 */
const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  validateFormats: false,
  addUsedSchema: false,
  logger: false,
});

/** Says what is wrong with a value; an empty list when it meets the schema. */
export type SchemaCheck = (value: Json) => readonly FieldViolation[];

/**
 * @param field name of the value, that the violations' fields begin with.
 * @throws {Error} when the schema is none, or refers to what it does not hold.
 */
export function compileJsonSchema(schema: JsonObject, field: string): SchemaCheck {
  const validate = ajv.compile(schema);
  return (value) => (validate(value) ? [] : (validate.errors ?? []).map((error) => toViolation(error, field)));
}

function toViolation(error: ErrorObject, field: string): FieldViolation {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const params = error.params as Readonly<Record<string, unknown>>;
  const named = params['additionalProperty'] ?? params['unevaluatedProperty'] ?? params['allowedValues'];
  const detail = named === undefined ? '' : ` (${JSON.stringify(named)})`;
  return { field: [field, ...path].join('.'), description: `${error.message ?? 'is not valid'}${detail}` };
}
