import { expect, it } from '@jest/globals';
import { readExactNumber } from '../../../src/http/json-rpc/exact-number.ts';

it.each([
  ['{"id":9007199254740993}', '{"id":9007199254740993}'],
  ['{"params":{"id":1},"id":1e400,"more":[{"id":2}]}', '{"id":1e400}'],
  ['{"id":1,"id":-12345678901234567890}', '{"id":-12345678901234567890}'],
  ['{"params":{"id":9007199254740993}}', '{}'],
  ['[{"id":9007199254740993}]', '{}'],
])('reads the number of the outermost object as it is written: %s', (json, written) => {
  expect(JSON.stringify({ id: readExactNumber(json, 'id') })).toBe(written);
});
