import type { Part, StreamResponse } from '../domain/a2a.ts';

/** Characters of JSON. */
const JOINED_CHARACTERS_MAX = 256 * 1024;

/**
 * One event that says the same as two, if there is one: text that is appended to the same artifact. A webhook that is slower
 * than a stream of words is sent paragraphs.
 */
export function joinAppends(first: StreamResponse, second: StreamResponse): StreamResponse | undefined {
  if (!('artifactUpdate' in first) || !('artifactUpdate' in second)) return undefined;
  const [one, two] = [first.artifactUpdate, second.artifactUpdate];
  if (two.append !== true || one.lastChunk === true || one.artifact.artifactId !== two.artifact.artifactId)
    return undefined;
  // What says more than parts is sent as it is.
  if (two.metadata !== undefined || two.artifact.metadata !== undefined) return undefined;
  const parts = joinParts(one.artifact.parts, two.artifact.parts);
  if (JSON.stringify(parts).length > JOINED_CHARACTERS_MAX) return undefined;
  return {
    artifactUpdate: {
      ...one,
      artifact: { ...one.artifact, parts },
      ...(two.lastChunk !== undefined && { lastChunk: two.lastChunk }),
    },
  };
}

function joinParts(one: readonly Part[], two: readonly Part[]): readonly Part[] {
  const [last, next] = [one.at(-1), two[0]];
  if (last === undefined || next === undefined || !isPlainText(last) || !isPlainText(next)) return [...one, ...two];
  return [...one.slice(0, -1), { text: last.text + next.text }, ...two.slice(1)];
}

function isPlainText(part: Part): part is { readonly text: string } {
  return part.text !== undefined && Object.keys(part).length === 1;
}
