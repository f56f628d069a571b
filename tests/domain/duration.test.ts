import { expect, it } from '@jest/globals';
import { formatDuration } from '../../src/domain/duration.ts';

it.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1000, '1 s'],
  [1500, '1500 ms'],
  [90_000, '90 s'],
  [600_000, '10 min'],
  [3_600_000, '1 h'],
  [5_400_000, '90 min'],
  [86_400_000, '1 d'],
  [30 * 86_400_000, '30 d'],
])('writes %d ms as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
