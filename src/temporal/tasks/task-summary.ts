import { textOf } from '../../domain/a2a.ts';
import { escapeMarkdown } from '../../domain/escape-markdown.ts';
import type { TaskInput } from '../../../workflows/task-contract.ts';

/** Temporal takes 400 bytes; four bytes a character at the most. */
const CHARACTERS_MAX = 100;
/** A message may be megabytes long, and white space at its beginning counts for nothing. */
const LOOKED_AT_MAX = 2_000;

/** The line by which an operator knows the task in Temporal's UI. Markdown: what the request says stays plain text. */
export function taskSummary({ publication, message }: Pick<TaskInput, 'publication' | 'message'>): string {
  const request = textOf(message)
    .slice(0, LOOKED_AT_MAX)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  const line = request === '' ? publication.name : `${publication.name}: ${request}`;
  const characters = Array.from(line);
  const cut = characters.length > CHARACTERS_MAX ? `${characters.slice(0, CHARACTERS_MAX - 1).join('')}…` : line;
  return escapeMarkdown(cut);
}
