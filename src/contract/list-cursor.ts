/** Where a page of tasks has ended, as an opaque token that nobody else can make, and that fits the list it came from alone. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Json } from '../domain/json.ts';
import { jsonDigest } from './canonical-json.ts';
import { invalidRequest } from './invalid-request.ts';

export interface ListCursor {
  /** Of the last task's status, milliseconds since 1970. */
  readonly at: number;
  readonly taskId: string;
}

export interface ListCursors {
  /** @param list what the list is about: its caller and its filters */
  encode(cursor: ListCursor, list: Json): string;
  /** @throws {Failure} `invalid-request` when it was not made here, or for another list */
  decode(token: string, list: Json): ListCursor;
}

const MAC_BYTES = 16;

/** @param key 32 bytes, the same on every replica */
export function createListCursors(key: Buffer): ListCursors {
  function macOf(body: Buffer, list: Json): Buffer {
    return createHmac('sha256', key).update(jsonDigest(list)).update(body).digest().subarray(0, MAC_BYTES);
  }

  return {
    encode({ at, taskId }, list) {
      const body = Buffer.from(JSON.stringify([at, taskId]));
      return Buffer.concat([macOf(body, list), body]).toString('base64url');
    },
    decode(token, list) {
      const bytes = Buffer.from(token, 'base64url');
      const [mac, body] = [bytes.subarray(0, MAC_BYTES), bytes.subarray(MAC_BYTES)];
      if (mac.length < MAC_BYTES || !timingSafeEqual(mac, macOf(body, list))) throw foreign();
      const [at, taskId] = JSON.parse(body.toString()) as [number, string];
      return { at, taskId };
    },
  };
}

function foreign() {
  return invalidRequest([{ field: 'pageToken', description: 'is not the token of a page of this list' }]);
}
