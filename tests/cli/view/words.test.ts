import { describe, expect, it } from '@jest/globals';
import { wrap } from '../../../src/cli/view/words.ts';

describe('wrap', () => {
  it.each([
    ['leaves alone what fits', 'one two', 7, ['one two']],
    ['breaks between words', 'one two three', 8, ['one two', 'three']],
    ['leaves a word whole that is longer than a line', 'a @temporalio/common b', 5, ['a', '@temporalio/common', 'b']],
    ['keeps the lines that are there', 'one\n\ntwo three', 5, ['one', '', 'two', 'three']],
    ['keeps an indentation', '  one two', 6, ['  one', 'two']],
  ])('%s', (_what, text, widthMax, lines) => {
    expect(wrap(text, widthMax)).toEqual(lines);
  });
});
