import { compileJsonSchema, type SchemaCheck } from '../contract/json-schema.ts';
import { type Message, textOf } from '../domain/a2a.ts';
import { Failure, type FieldViolation } from '../domain/failure.ts';
import type { Json } from '../domain/json.ts';
import type { Publication } from '../domain/pipeline.ts';

/** Reads what the stages get as `input` out of a message. */
export type InputReader = (message: Message) => Json;

const VIOLATIONS_MAX = 20;

/**
 * Without `input_schema` the input is `{text, parts}`. With one it is the message's one data part, or its text put into the
 * property that `text_input` names; and it meets the schema.
 * @throws {Failure} from the reader: `invalid-request`, category `invalid-input`.
 */
export function createInputReader(publication: Publication): InputReader {
  const { inputSchema, textInput } = publication;
  if (inputSchema === undefined) return plainInput;
  const check = compileJsonSchema(inputSchema, 'input');
  return (message) => {
    refuseContract(message);
    const input = structuredInput(message, textInput);
    refuseViolations(check(input));
    return input;
  };
}

function plainInput(message: Message): Json {
  refuseContract(message);
  const parts = message.parts as unknown as Json;
  return { text: textOf(message), parts };
}

function structuredInput(message: Message, textInput: string | undefined): Json {
  const { parts } = message;
  const [only] = parts;
  if (parts.length === 1 && only?.data !== undefined) return only.data;
  const isText = parts.every(({ text }) => text !== undefined);
  if (isText && textInput !== undefined) return { [textInput]: textOf(message) };
  const takes = textInput === undefined ? 'exactly one data part' : 'exactly one data part, or text';
  throw invalidInput([
    { field: 'message.parts', description: `must be ${takes}, as this publication declares an input schema` },
  ]);
}

/** A data part is a contract only if it says so (`contractVersion`); this version takes none. */
function refuseContract({ parts }: Message): void {
  const isContract = parts.some(
    ({ data }) => typeof data === 'object' && data !== null && !Array.isArray(data) && 'contractVersion' in data,
  );
  if (isContract)
    throw new Failure('unsupported-operation', 'Contract messages are not supported; send the input itself');
}

function refuseViolations(violations: ReturnType<SchemaCheck>): void {
  if (violations.length > 0) throw invalidInput(violations);
}

function invalidInput(violations: readonly FieldViolation[]): Failure {
  const texts = violations.slice(0, 3).map(({ field, description }) => `${field} ${description}`);
  const more = violations.length > texts.length ? ` (and ${violations.length - texts.length} more)` : '';
  return new Failure('invalid-request', `${texts.join('; ')}${more}`, {
    metadata: { category: 'invalid-input' },
    violations: violations.slice(0, VIOLATIONS_MAX),
  });
}
