import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson, jsonDigest } from '../../src/contract/canonical-json.ts';
import type { Json } from '../../src/domain/json.ts';

const json = fc.jsonValue({ stringUnit: 'grapheme' }) as fc.Arbitrary<Json>;

/** The same value with the keys of every object the other way round. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map((each: Json) => reversed(each));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, member]) => [key, reversed(member)]));
}

/** The same text with every character of its strings written as an escape. */
function escaped(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"/g, (string) => {
    const units = Array.from({ length: (JSON.parse(string) as string).length }, (_, at) =>
      (JSON.parse(string) as string).charCodeAt(at).toString(16).padStart(4, '0'),
    );
    return `"${units.map((unit) => `\\u${unit}`).join('')}"`;
  });
}

describe('canonicalJson', () => {
  it.each<[string, Json, string]>([
    [
      'keys sorted by UTF-16 units',
      { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5 },
      '{"\\r":2,"1":4,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}',
    ],
    [
      'numbers as ECMAScript writes them',
      [333333333.3333333, 1e30, 4.5, 0.002, 1e-27, -0],
      '[333333333.3333333,1e+30,4.5,0.002,1e-27,0]',
    ],
    ['control characters', '\u0000\u000f\n', '"\\u0000\\u000f\\n"'],
  ])('writes %s (RFC 8785)', (_name, value, expected) => {
    expect(canonicalJson(value)).toBe(expected);
  });

  it('does not see the order of keys', () => {
    fc.assert(fc.property(json, (value) => canonicalJson(reversed(value)) === canonicalJson(value)));
  });

  it('does not see white space or Unicode escapes', () => {
    fc.assert(
      fc.property(json, (value) => {
        const other = JSON.parse(escaped(JSON.stringify(value, undefined, 2))) as Json;
        return canonicalJson(other) === canonicalJson(value);
      }),
    );
  });

  it('loses nothing: other values have other texts', () => {
    fc.assert(
      fc.property(json, (value) => canonicalJson(JSON.parse(canonicalJson(value)) as Json) === canonicalJson(value)),
    );
    fc.assert(
      fc.property(json, json, (one, other) => {
        const isSame = JSON.stringify(reversed(reversed(one))) === JSON.stringify(reversed(reversed(other)));
        if (isSame) expect(jsonDigest(one)).toEqual(jsonDigest(other));
        else if (canonicalJson(one) !== canonicalJson(other)) expect(jsonDigest(one)).not.toEqual(jsonDigest(other));
      }),
    );
  });
});
