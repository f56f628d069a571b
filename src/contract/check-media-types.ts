import type { Message } from '../domain/a2a.ts';
import { Failure } from '../domain/failure.ts';
import { isAmong, mediaTypeOf } from '../domain/media-type.ts';

/**
 * Each part is of one of these types (A2A 1.0 §3.1.1); `image/*` is all of a kind.
 * @throws {Failure} `content-type-not-supported`, naming the part
 */
export function checkMediaTypes({ parts }: Message, modes: readonly string[]): void {
  const index = parts.findIndex((part) => !isAmong(modes, mediaTypeOf(part)));
  const part = parts[index];
  if (part === undefined) return;
  const field = `message.parts[${index}].mediaType`;
  const description = `${mediaTypeOf(part)} is not taken here; ${modes.join(', ')} is`;
  throw new Failure('content-type-not-supported', `${field}: ${description}`, { violations: [{ field, description }] });
}
