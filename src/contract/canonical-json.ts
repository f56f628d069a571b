import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Json } from '../domain/json.ts';

/** The one spelling of a JSON value (RFC 8785): equal values have equal texts, whatever the order of their keys. */
export function canonicalJson(value: Json): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('Not a JSON value');
  return text;
}

/** SHA-256 of the canonical JSON. */
export function jsonDigest(value: Json): Buffer {
  return createHash('sha256').update(canonicalJson(value), 'utf8').digest();
}
