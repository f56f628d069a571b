import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createListCursors } from '../../src/contract/list-cursor.ts';

const cursors = createListCursors(randomBytes(32));
const position = { at: 1_767_225_600_123, taskId: 'echo-ü' };

describe('the token of a page', () => {
  it('gives back its place in the same list', () => {
    expect(cursors.decode(cursors.encode(position, { caller: 'alice' }), { caller: 'alice' })).toEqual(position);
  });

  it('does not open another list, nor with another key', () => {
    const token = cursors.encode(position, { caller: 'alice' });
    expect(() => cursors.decode(token, { caller: 'bob' })).toThrow('pageToken');
    expect(() => createListCursors(randomBytes(32)).decode(token, { caller: 'alice' })).toThrow('pageToken');
  });

  it.each(['', 'x', 'garbage', '€€€', 'A'.repeat(10_000)])('%# is no token', (token) => {
    expect(() => cursors.decode(token, { caller: 'alice' })).toThrow('pageToken');
  });

  it('is void when any of it was changed', () => {
    const token = cursors.encode(position, {});
    for (let index = 0; index < token.length - 1; index++) {
      const changed = token.slice(0, index) + (token[index] === 'A' ? 'B' : 'A') + token.slice(index + 1);
      expect(() => cursors.decode(changed, {})).toThrow('pageToken');
    }
  });
});
