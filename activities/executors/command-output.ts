/** What a `command` executor says on its standard output: one JSON object a line, with one of these keys. */
import { basename } from 'node:path';
import type { ArtifactContent, ExecutorContext, Progress, Question, StreamOptions } from '../../src/domain/executor.ts';

type Handler = (said: unknown, context: ExecutorContext) => Promise<unknown>;

const HANDLER_BY_KEY: Readonly<Record<'ask' | 'progress' | 'stream' | 'artifact', Handler>> = {
  ask: async (question, context) => {
    await context.ask(question as Extract<Question, { kind: 'free_text' }>);
    const { id } = question as Question;
    throw new Error(`The command asked "${id}" again: the answer stands in its input, under answers`);
  },
  progress: (progress, context) => context.progress(progress as Progress),
  stream: (said, context) => {
    if (typeof said !== 'object' || said === null) return context.stream(said as string);
    const { text, ...options } = said as { text: string } & StreamOptions;
    return context.stream(text, options);
  },
  artifact: (artifact, context) => context.writeArtifact(withName(artifact)),
};

export type CommandLine =
  | { readonly kind: 'call'; readonly make: (context: ExecutorContext) => Promise<unknown> }
  | { readonly kind: 'result'; readonly result: unknown }
  /** Not for us: it goes to the log. */
  | { readonly kind: 'other' };

export function parseCommandLine(line: string): CommandLine {
  const said = parseObject(line);
  const [key, ...others] = said === undefined ? [] : Object.keys(said);
  if (said === undefined || key === undefined || others.length > 0) return { kind: 'other' };
  const value = said[key];
  if (key === 'result') return { kind: 'result', result: typeof value === 'string' ? { summary: value } : value };
  if (!Object.hasOwn(HANDLER_BY_KEY, key)) return { kind: 'other' };
  const handler = HANDLER_BY_KEY[key as keyof typeof HANDLER_BY_KEY];
  return { kind: 'call', make: (context) => handler(value, context) };
}

function parseObject(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** A file is called what it is called, unless said otherwise. */
function withName(artifact: unknown): ArtifactContent {
  if (typeof artifact !== 'object' || artifact === null) throw new TypeError('{"artifact": …} takes an object');
  const { path } = artifact as ArtifactContent;
  return { ...(typeof path === 'string' && { name: basename(path) }), ...artifact } as ArtifactContent;
}
