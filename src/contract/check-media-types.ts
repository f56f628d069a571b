import type { Message } from '../domain/a2a.ts';
import { Failure } from '../domain/failure.ts';
import { inputModesOf, isAmong, mediaTypeOf } from '../domain/media-type.ts';
import type { Publication } from '../domain/pipeline.ts';

/**
 * Each part is of a type that the publication takes (A2A 1.0 §3.1.1).
 * @throws {Failure} `content-type-not-supported`, naming the part
 */
export function checkMediaTypes({ parts }: Message, publication: Publication): void {
  const modes = inputModesOf(publication);
  const index = parts.findIndex((part) => !isAmong(modes, mediaTypeOf(part)));
  const part = parts[index];
  if (part === undefined) return;
  const field = `message.parts[${index}].mediaType`;
  const description = `${mediaTypeOf(part)} is not taken here; ${modes.join(', ')} is`;
  throw new Failure('content-type-not-supported', `${field}: ${description}`, { violations: [{ field, description }] });
}
