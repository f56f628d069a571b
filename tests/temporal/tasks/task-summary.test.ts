import { expect, it } from '@jest/globals';
import { taskSummary } from '../../../src/temporal/tasks/task-summary.ts';
import { taskInput } from './task-rig.ts';

const summary = (text: string) =>
  taskSummary({ ...taskInput(), message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] } });

it.each([
  ['hello', 'Echo: hello'],
  ['', 'Echo'],
  [' a\r\n\tb\u202e ', 'Echo: a b'],
  ['![x](http://example.test) <b>', 'Echo: \\!\\[x\\](http://example.test) \\<b\\>'],
])('names %j by %j', (text, expected) => {
  expect(summary(text)).toBe(expected);
});

it.each(['x', '😀', '*'])('keeps a long request of %s within the 400 bytes that Temporal takes', (character) => {
  expect(Buffer.byteLength(summary(character.repeat(5_000)))).toBeLessThanOrEqual(400);
});

it('says nothing of data parts', () => {
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ data: { password: 'hunter2' } }] } as const;
  expect(taskSummary({ ...taskInput(), message })).toBe('Echo');
});
