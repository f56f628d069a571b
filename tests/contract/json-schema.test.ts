import { describe, expect, it } from '@jest/globals';
import { compileJsonSchema } from '../../src/contract/json-schema.ts';
import type { JsonObject } from '../../src/domain/json.ts';

describe('compileJsonSchema', () => {
  it('keeps apart schemas of the same $id', () => {
    const $id = 'https://x.test/schema.json';
    const text = compileJsonSchema({ $id, type: 'string' }, 'input');
    const number = compileJsonSchema({ $id, type: 'number' }, 'input');
    expect([text('a'), number(1)]).toEqual([[], []]);
    expect([text(1), number('a')].map((violations) => violations.length)).toEqual([1, 1]);
  });

  it('resolves references inside of the schema, by $id, $anchor and pointer', () => {
    const check = compileJsonSchema(
      {
        $id: 'https://x.test/refs.json',
        properties: { a: { $ref: '#/$defs/text' }, b: { $ref: '#word' }, c: { $ref: 'inner.json' } },
        $defs: {
          text: { type: 'string' },
          word: { $anchor: 'word', minLength: 2 },
          inner: { $id: 'inner.json', type: 'null' },
        },
      },
      'input',
    );
    expect(check({ a: 'x', b: 'xy', c: null })).toEqual([]);
    expect(check({ a: 1, b: 'x', c: 0 }).map(({ field }) => field)).toEqual(['input.a', 'input.b', 'input.c']);
  });

  it('names every violation and where it is', () => {
    const check = compileJsonSchema(
      {
        properties: { 'a/b': { enum: ['x', 'y'] }, list: { items: { type: 'integer' } } },
        additionalProperties: false,
      },
      'input',
    );
    expect(check({ 'a/b': 'z', list: [1, 'two'], more: 1 })).toEqual([
      { field: 'input', description: 'must NOT have additional properties ("more")' },
      { field: 'input.a/b', description: 'must be equal to one of the allowed values (["x","y"])' },
      { field: 'input.list.1', description: 'must be integer' },
    ]);
  });

  it('takes formats for annotations', () => {
    expect(compileJsonSchema({ type: 'string', format: 'made-up' }, 'input')('x')).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['a type that is none', { type: 'objekt' }],
    ['a reference to nothing', { $ref: '#/$defs/absent' }],
    ['a pattern that is none', { pattern: '(' }],
  ])('throws for %s', (_name, schema) => {
    expect(() => compileJsonSchema(schema, 'input')).toThrow();
  });
});
