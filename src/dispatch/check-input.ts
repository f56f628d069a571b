import { compileJsonSchema, type SchemaCheck } from '../contract/json-schema.ts';
import type { Message } from '../domain/a2a.ts';
import { Failure, type FieldViolation } from '../domain/failure.ts';
import type { Publication } from '../domain/pipeline.ts';
import { inputFormOf, inputOf } from '../domain/task-input.ts';

/** Refuses a message whose `input` the publication does not take. */
export type InputCheck = (message: Message) => void;

const VIOLATIONS_MAX = 20;

/**
 * Where the publication has an `input_schema`, the message's input must meet it.
 * @throws {Failure} from the check: `invalid-request`, category `invalid-input`.
 */
export function createInputCheck(publication: Publication): InputCheck {
  const { inputSchema, textInput } = publication;
  const form = inputFormOf(publication);
  const check = inputSchema === undefined ? undefined : compileJsonSchema(inputSchema, 'input');
  return (message) => {
    refuseContract(message);
    if (check === undefined) return;
    const input = inputOf(message, form);
    if (input === undefined) throw wrongForm(textInput);
    refuseViolations(check(input));
  };
}

function wrongForm(textInput: string | undefined): Failure {
  const takes = textInput === undefined ? 'exactly one data part' : 'exactly one data part, or text';
  return invalidInput([
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
