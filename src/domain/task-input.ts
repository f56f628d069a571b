/** What the stages get as `input`: it follows from the message, and so is carried nowhere beside it. */
import { type Message, textOf } from './a2a.ts';
import type { Json } from './json.ts';
import type { Publication } from './pipeline.ts';

export type InputForm =
  /** `{text, parts}`, of any message. */
  | { readonly form: 'message' }
  /** The message's one data part, or its text put into the property that `textInput` names. */
  | { readonly form: 'data'; readonly textInput?: string };

export function inputFormOf({ inputSchema, textInput }: Publication): InputForm {
  if (inputSchema === undefined) return { form: 'message' };
  return { form: 'data', ...(textInput !== undefined && { textInput }) };
}

/** Undefined when the message is of another form. */
export function inputOf({ parts }: Pick<Message, 'parts'>, how: InputForm): Json | undefined {
  if (how.form === 'message') return { text: textOf({ parts }), parts: parts.map((part) => ({ ...part })) as Json };
  const [only] = parts;
  if (parts.length === 1 && only?.data !== undefined) return only.data;
  const isText = parts.every(({ text }) => text !== undefined);
  return isText && how.textInput !== undefined ? { [how.textInput]: textOf({ parts }) } : undefined;
}
