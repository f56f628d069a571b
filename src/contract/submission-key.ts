/** At most once: a task's ID follows from the message that asked for it. */
import type { Message } from '../domain/a2a.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import { jsonDigest } from './canonical-json.ts';

/** What makes two submissions the same one; `content` joins with contract messages. */
export type Submission =
  | {
      readonly dedupe: 'message';
      readonly tenant: string | null;
      readonly caller: string;
      readonly publication: string;
      readonly messageId: string;
      /** Takes the messageId's place, and is never taken for one. */
      readonly idempotencyKey?: string;
    }
  | { readonly dedupe: 'none'; readonly random: string };

/** The submission's SHA-256. */
export function submissionKey(submission: Submission): Buffer {
  return jsonDigest(keyed(submission));
}

function keyed(submission: Submission): JsonObject {
  if (submission.dedupe === 'none') return { random: submission.random };
  const { tenant, caller, publication, messageId, idempotencyKey } = submission;
  return { tenant, caller, publication, ...(idempotencyKey === undefined ? { messageId } : { idempotencyKey }) };
}

/** `<publication>-<130 bits of the key>`: an ID to type and to read out, and a workflow ID. */
export function taskIdOf(publicationId: string, key: Buffer): string {
  return `${publicationId}-${base32(key).slice(0, 26)}`;
}

/** The context of a message that names none: the same again when the message is sent again. */
export function contextIdOf(key: Buffer): string {
  return `ctx-${base32(jsonDigest({ contextOf: key.toString('hex') })).slice(0, 26)}`;
}

/** Hex SHA-256 of what a message says: all of it but its ID. The same messageId with another hash is a conflict. */
export function contentHash(message: Message): string {
  const { messageId: _, ...content } = message;
  return jsonDigest(content as unknown as Json).toString('hex');
}

/** RFC 4648 §6, lower case, without padding. */
function base32(bytes: Buffer): string {
  let text = '';
  let value = 0;
  let bits = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += 'abcdefghijklmnopqrstuvwxyz234567'.charAt((value >> bits) & 31);
    }
  }
  return bits === 0 ? text : text + 'abcdefghijklmnopqrstuvwxyz234567'.charAt((value << (5 - bits)) & 31);
}
