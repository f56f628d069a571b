import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json, JsonObject } from '../src/domain/json.ts';
import { StageFailedError } from './stage-failed-error.ts';

const SCHEMAS_MAX = 200;
const OPTIONS = { strict: false, validateFormats: false } as const;

const validators = new Map<string, ValidateFunction>();

/** @throws {StageFailedError} `output-invalid`, or `output-schema-invalid` */
export function checkOutput(schema: JsonObject, payload: Json | undefined): void {
  if (payload === undefined) {
    throw new StageFailedError('output-invalid', 'The stage has an output_schema and returned no payload');
  }
  const validate = compile(schema);
  if (validate(payload)) return;
  const error = validate.errors?.[0];
  throw new StageFailedError(
    'output-invalid',
    `The payload does not meet the output_schema: payload${error?.instancePath ?? ''} ${error?.message ?? 'is invalid'}`,
  );
}

function compile(schema: JsonObject): ValidateFunction {
  const key = JSON.stringify(schema);
  const known = validators.get(key);
  if (known !== undefined) return known;
  try {
    // An instance for each: two schemas of one $id must not meet.
    const validate = (isDraft7(schema) ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS)).compile(schema);
    if (validators.size >= SCHEMAS_MAX) validators.clear();
    validators.set(key, validate);
    return validate;
  } catch (error) {
    throw new StageFailedError('output-schema-invalid', `The output_schema is no JSON Schema: ${String(error)}`, error);
  }
}

function isDraft7({ $schema }: JsonObject): boolean {
  return typeof $schema === 'string' && $schema.includes('draft-07');
}
