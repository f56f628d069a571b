/** The elements of a `for_each` stage: where they come from, and what its envelope is made of. */
import type { Envelope } from './envelope.ts';
import type { Json } from './json.ts';
import type { KeptItem } from './kept.ts';

/** Each is a run of its own, with events in the task's history. */
const ELEMENTS_MAX = 10_000;

/** An element's value, or where it is kept. */
export type Element = { readonly item: Json } | { readonly itemAt: KeptItem };

/** `for_each` points to what has no elements, or too many. */
export class ElementsError extends Error {}

/** The stage that `/<stage>/payload/…` points into. */
export function sourceOf(pointer: string): string {
  return stepsOf(pointer)[0] ?? '';
}

/**
 * The list that `for_each` points to.
 * @throws {ElementsError}
 */
export function elementsAt(source: Envelope | undefined, pointer: string): readonly Json[] {
  let value: unknown = source;
  for (const key of stepsOf(pointer).slice(1)) {
    const isOwn = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    value = isOwn ? (value as Record<string, unknown>)[key] : undefined;
  }
  if (!Array.isArray(value)) throw new ElementsError(`for_each ${pointer} is not a list`);
  if (value.length > ELEMENTS_MAX) {
    throw new ElementsError(`for_each ${pointer} has ${value.length} elements, and ${ELEMENTS_MAX} is the limit`);
  }
  return value as readonly Json[];
}

/** RFC 6901 §4. */
function stepsOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The envelope of the stage, in the order of its elements. */
export function joinEnvelopes(envelopes: readonly Envelope[]): Envelope {
  return {
    summary: envelopes.map(({ summary }) => summary).join('\n'),
    payload: envelopes as unknown as Json,
    artifacts: envelopes.flatMap(({ artifacts }) => artifacts),
  };
}
