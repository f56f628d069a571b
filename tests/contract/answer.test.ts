import { describe, expect, it } from '@jest/globals';
import { parseAnswer } from '../../src/contract/answer.ts';
import type { Answer, GateKind } from '../../src/domain/question.ts';

describe('parseAnswer', () => {
  it.each<[GateKind, unknown, Answer]>([
    ['free_text', 'From 2020 on', { kind: 'free_text', text: 'From 2020 on' }],
    ['free_text', '', { kind: 'free_text', text: '' }],
    ['free_text', { kind: 'free_text', promptId: 'p', text: 'x' }, { kind: 'free_text', text: 'x' }],
    ['confirm', 'accept', { kind: 'confirm', decision: 'accept' }],
    ['confirm', ' Yes ', { kind: 'confirm', decision: 'accept' }],
    ['confirm', 'no', { kind: 'confirm', decision: 'reject' }],
    [
      'confirm',
      { kind: 'confirm', decision: 'reject', text: 'Too short' },
      { kind: 'confirm', decision: 'reject', text: 'Too short' },
    ],
  ])('reads for %s the answer %j', (kind, value, expected) => {
    expect(parseAnswer(value, { kind })).toStrictEqual(expected);
  });

  it.each<[GateKind, unknown]>([
    ['free_text', { kind: 'confirm', decision: 'accept' }],
    ['free_text', { kind: 'free_text' }],
    ['free_text', { text: 'x' }],
    ['free_text', null],
    ['free_text', 7],
    ['confirm', 'perhaps'],
    ['confirm', 'constructor'],
    ['confirm', { kind: 'free_text', text: 'yes' }],
    ['confirm', { kind: 'confirm', decision: 'yes' }],
    ['confirm', { kind: 'multi_question', answers: {} }],
  ])('refuses for %s the answer %j', (kind, value) => {
    expect(() => parseAnswer(value, { kind })).toThrow(/answer/);
  });
});
