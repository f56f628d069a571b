/** Zod's issues, in the words and at the places of the file that they are about. */
import { z } from 'zod';
import { ConfigurationError, type ConfigurationProblem } from './configuration-error.ts';
import { didYouMean } from './did-you-mean.ts';
import type { KeyPath, YamlFile } from './yaml-file.ts';

/** An object that takes these keys and no others. Hands the known keys to `readShape`, in the place of a message. */
export function strict<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? Object.keys(shape).join(' ') : undefined),
  });
}

/** @throws {ConfigurationError} with every problem of the file. */
export function readShape<Schema extends z.ZodType>(schema: Schema, file: YamlFile): z.output<Schema> {
  const parsed = schema.safeParse(file.value, { error: describe });
  if (parsed.success) return parsed.data;
  throw new ConfigurationError(parsed.error.issues.flatMap((issue) => toProblems(issue, file)));
}

function toProblems(issue: z.core.$ZodIssue, file: YamlFile): ConfigurationProblem[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  if (issue.code === 'unrecognized_keys') {
    const known = issue.message.split(' ');
    return issue.keys.map((key) => file.problem([...path, key], `is not a known key${unknownHint(key, known)}`, 'key'));
  }
  return [file.problem(path satisfies KeyPath, issue.message)];
}

function unknownHint(key: string, known: readonly string[]): string {
  return didYouMean(key, known) || `; known are ${known.join(', ')}`;
}

const A_OR_AN: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of keys',
  record: 'a map of keys',
};

/** Messages of schemas that have none of their own. */
function describe(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is required'
        : `must be ${A_OR_AN[issue.expected] ?? issue.expected}, and is ${shown(issue.input)}`;
    case 'invalid_value':
      return notOneOf(issue.input, issue.values.map(String));
    case 'invalid_union': {
      const { discriminator, options, input } = issue as {
        discriminator?: string;
        options?: unknown[];
        input?: unknown;
      };
      if (discriminator === undefined || options === undefined) return undefined;
      const given: unknown = (input as Readonly<Record<string, unknown>>)[discriminator];
      return notOneOf(given, options.map(String));
    }
    default:
      return undefined;
  }
}

function notOneOf(input: unknown, names: readonly string[]): string {
  const choice = names.map((name) => `"${name}"`).join(names.length === 2 ? ' or ' : ', ');
  if (input === undefined) return `is required: ${choice}`;
  const hint = typeof input === 'string' ? didYouMean(input, names) : '';
  return `must be ${names.length > 2 ? 'one of ' : ''}${choice}, and is ${shown(input)}${hint}`;
}

function shown(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map of keys';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
