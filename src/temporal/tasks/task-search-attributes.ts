import { createHash } from 'node:crypto';
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import { type Owner, ownerKey } from '../../domain/owner.ts';
import type { TaskInput } from '../../../workflows/task-contract.ts';
import { SEARCH_ATTRIBUTES } from '../../../workflows/task-contract.ts';

/** On PostgreSQL a longer keyword makes the workflow invisible to lists for ever. */
const KEYWORD_CHARACTERS_MAX = 255;

/** A value as Temporal's visibility keeps it. */
export function keyword(value: string): string {
  return value.slice(0, KEYWORD_CHARACTERS_MAX);
}

/** The context as lists know it: any contextId of any caller, in 64 characters. */
export function contextKeyword(owner: Owner, contextId: string): string {
  return createHash('sha256')
    .update(JSON.stringify([ownerKey(owner), contextId]))
    .digest('hex');
}

/** What a task has at its start; the workflow keeps state, time and questions up to date. */
export function startSearchAttributes(input: TaskInput): TypedSearchAttributes {
  const attribute = (name: string, value: string) => ({
    key: defineSearchAttributeKey(name, 'KEYWORD'),
    value: keyword(value),
  });
  return new TypedSearchAttributes([
    attribute(SEARCH_ATTRIBUTES.caller, ownerKey(input)),
    attribute(SEARCH_ATTRIBUTES.publication, input.publication.id),
    attribute(SEARCH_ATTRIBUTES.context, contextKeyword(input, input.contextId)),
    attribute(SEARCH_ATTRIBUTES.state, 'TASK_STATE_SUBMITTED'),
    { key: defineSearchAttributeKey(SEARCH_ATTRIBUTES.updated, 'DATETIME'), value: new Date(input.submittedAt) },
    { key: defineSearchAttributeKey(SEARCH_ATTRIBUTES.openQuestions, 'INT'), value: 0 },
  ]);
}
