import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Question } from '../../src/domain/question.ts';
import { briefStatus, cut, questionStatus, statusWithText } from '../../src/domain/task-status.ts';

const place = { taskId: 'task-1', contextId: 'context-1', at: '2026-01-01T00:00:00.000Z' };

function question(number: number, message = `Question ${number}?`): Question {
  const random = number.toString(16).padStart(32, '0');
  return {
    requestId: `dGFzaw.${random}`,
    stageId: 's',
    askId: `q${number}`,
    kind: 'free_text',
    message,
    callerAnswerable: true,
    shown: true,
    askedAt: place.at,
  };
}

describe('statusWithText', () => {
  it('has no message where there is nothing to say', () => {
    expect(statusWithText(place, 'TASK_STATE_WORKING')).toEqual({ state: 'TASK_STATE_WORKING', timestamp: place.at });
  });

  it('says the text as the agent, with its reason for programs', () => {
    expect(statusWithText(place, 'TASK_STATE_FAILED', 'No', { reason: 'x' })).toEqual({
      state: 'TASK_STATE_FAILED',
      timestamp: place.at,
      message: {
        messageId: `failed-task-1-${place.at}`,
        taskId: 'task-1',
        contextId: 'context-1',
        role: 'ROLE_AGENT',
        parts: [{ text: 'No', mediaType: 'text/plain' }],
        metadata: { reason: 'x' },
      },
    });
  });
});

describe('questionStatus', () => {
  it('names the one question for programs, too', () => {
    const { message } = questionStatus(place, [question(1)]);
    const { requestId } = question(1);
    expect(message).toMatchObject({
      messageId: `question-${requestId.split('.')[1] ?? ''}`,
      parts: [
        { text: 'Question 1?' },
        { data: { questions: [{ handle: requestId, message: 'Question 1?', kind: 'free_text' }] } },
      ],
      metadata: { requestId, kind: 'input-request' },
    });
  });

  it('names several, and none of them alone', () => {
    const { message } = questionStatus(place, [question(1), question(2)]);
    expect(message?.parts[0]?.text).toBe('Question 1?\nQuestion 2?');
    expect(message?.parts[1]?.data).toMatchObject({
      questions: [{ message: 'Question 1?' }, { message: 'Question 2?' }],
    });
    expect(message).not.toHaveProperty('metadata');
  });

  it('has another messageId for each set of questions that a task goes through, and a short one', () => {
    const sets = [[1], [1, 2], [1, 2, 3], [2, 3], [3], [3, 4], Array.from({ length: 500 }, (_, at) => at + 4)];
    const ids = sets.map(
      (set) =>
        questionStatus(
          place,
          set.map((each) => question(each)),
        ).message?.messageId ?? '',
    );
    expect(new Set(ids).size).toBe(sets.length);
    expect(Math.max(...ids.map((id) => id.length))).toBeLessThan(64);
  });
});

describe('briefStatus', () => {
  it('leaves a short status as it is', () => {
    const status = statusWithText(place, 'TASK_STATE_WORKING', 'short');
    expect(briefStatus(status)).toBe(status);
  });

  it.each([
    ['Latin', 'a'.repeat(100_000)],
    ['Chinese', '題'.repeat(1_000)],
    ['emoji', '😀'.repeat(2_000)],
    ['control characters', '\u0001'.repeat(2_000)],
    ['lone surrogates', '\ud800'.repeat(2_000)],
    ['quotes', '"'.repeat(2_000)],
  ])('takes at most 2 KB of %s', (_name, text) => {
    const brief = briefStatus(statusWithText(place, 'TASK_STATE_COMPLETED', text));
    expect(Buffer.byteLength(JSON.stringify(brief))).toBeLessThanOrEqual(2048);
    expect(brief.state).toBe('TASK_STATE_COMPLETED');
    expect(brief.message?.parts[0]?.text?.length).toBeGreaterThan(100);
  });

  it('takes at most 2 KB with hundreds of questions', () => {
    const status = questionStatus(
      place,
      Array.from({ length: 300 }, (_, at) => question(at, 'W'.repeat(900))),
    );
    expect(Buffer.byteLength(JSON.stringify(briefStatus(status)))).toBeLessThanOrEqual(2048);
  });
});

describe('cut', () => {
  it.each([
    ['', 3, ''],
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc…'],
    ['😀😀😀', 3, '😀😀😀'],
    ['😀😀😀😀', 3, '😀😀😀…'],
    ['a😀😀😀', 3, 'a😀😀…'],
    ['abc', 0, '…'],
  ])('cuts %j to %d as %j', (text, max, expected) => {
    expect(cut(text, max)).toBe(expected);
  });

  it('never halves a character, and says whether something is missing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, max) => {
        const points = Array.from(text);
        const expected = points.length <= max ? text : `${points.slice(0, max).join('')}…`;
        expect(cut(text, max)).toBe(expected);
      }),
    );
  });
});
