/** Answers to questions, as operators and contract messages give them. */
import { z } from 'zod';
import type { FieldViolation } from '../domain/failure.ts';
import type { Answer, GateKind } from '../domain/question.ts';
import { invalidRequest, parseWith } from './invalid-request.ts';
import { checkJson } from './json-guard.ts';

const promptId = z.string().optional();

const answerSchema = z.discriminatedUnion(
  'kind',
  [
    z.object({ kind: z.literal('free_text'), promptId, text: z.string('must be a string') }),
    z.object({
      kind: z.literal('confirm'),
      promptId,
      decision: z.enum(['accept', 'reject'], 'must be "accept" or "reject"'),
      text: z.string('must be a string').optional(),
    }),
  ],
  'must be a string, or an object whose kind is "free_text" or "confirm"',
);

/** What people type for yes and no. */
const DECISIONS: Readonly<Record<string, 'accept' | 'reject'>> = {
  accept: 'accept',
  approve: 'accept',
  yes: 'accept',
  y: 'accept',
  reject: 'reject',
  no: 'reject',
  n: 'reject',
};

/**
 * Reads an answer to a question of this kind: a string, or an answer object.
 * @throws {Failure} `invalid-request` when it is neither, or answers another kind of question.
 */
export function parseAnswer(value: unknown, { kind }: { readonly kind: GateKind }): Answer {
  checkJson(value, 'answer');
  if (typeof value === 'string')
    return kind === 'free_text' ? { kind, text: value } : { kind, decision: parseDecision(value) };
  const answer = parseWith(answerSchema, value, 'answer');
  if (answer.kind !== kind) throw refused(`must be of kind "${kind}", as the question is`);
  if (answer.kind === 'free_text') return { kind: answer.kind, text: answer.text };
  const { decision, text } = answer;
  return { kind: answer.kind, decision, ...(text !== undefined && { text }) };
}

function parseDecision(text: string): 'accept' | 'reject' {
  const decision = new Map(Object.entries(DECISIONS)).get(text.trim().toLowerCase());
  if (decision === undefined) throw refused('must be "accept" or "reject" (or "yes" or "no")');
  return decision;
}

function refused(description: string) {
  const violation: FieldViolation = { field: 'answer', description };
  return invalidRequest([violation]);
}
