import { createHash, timingSafeEqual } from 'node:crypto';
import { Failure } from '../domain/failure.ts';

/** The headers that may carry a token, as Node gives them. */
export interface CredentialHeaders {
  readonly authorization?: string | undefined;
  readonly apiKey?: string | readonly string[] | undefined;
}

/**
 * The token that a request carries, `undefined` when it carries none.
 * @throws {Failure} `unauthenticated` when what it carries is no bearer token, or two different ones.
 */
export function readToken({ authorization, apiKey }: CredentialHeaders): string | undefined {
  const bearer = authorization === undefined ? undefined : readBearer(authorization);
  if (apiKey !== undefined && (typeof apiKey !== 'string' || apiKey === '')) throw unauthenticated();
  if (bearer !== undefined && apiKey !== undefined && bearer !== apiKey) throw unauthenticated();
  return bearer ?? apiKey;
}

/** RFC 6750 §2.1: the scheme's case is free, the token is one word. */
function readBearer(authorization: string): string {
  const token = /^bearer +([^\s,]+)$/i.exec(authorization.trim())?.[1];
  if (token === undefined) throw unauthenticated();
  return token;
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

/** In constant time, as both are SHA-256. */
export function isSameHash(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

export function unauthenticated(): Failure {
  return new Failure('unauthenticated', 'Authentication required');
}
