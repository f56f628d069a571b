import { describe, expect, it } from '@jest/globals';
import { parseMessage, parseSendRequest } from '../../src/contract/message.ts';
import { Failure } from '../../src/domain/failure.ts';

const valid = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'hello' }] };

function failureOf(act: () => unknown): Failure {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('Nothing was thrown');
}

function nested(levels: number): unknown {
  let value: unknown = 'x';
  for (let level = 1; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

describe('parseMessage', () => {
  it.each<[string, unknown, unknown]>([
    ['a text message', valid, valid],
    [
      'snake_case fields',
      {
        message_id: 'm-1',
        context_id: 'c',
        task_id: 't',
        role: 'ROLE_USER',
        reference_task_ids: ['r'],
        parts: [{ text: 'x', media_type: 'text/plain' }],
      },
      {
        messageId: 'm-1',
        contextId: 'c',
        taskId: 't',
        role: 'ROLE_USER',
        referenceTaskIds: ['r'],
        parts: [{ text: 'x', mediaType: 'text/plain' }],
      },
    ],
    ['an enum by its number', { ...valid, role: 2 }, { ...valid, role: 'ROLE_AGENT' }],
    ['fields that are null or empty', { ...valid, contextId: '', taskId: null, extensions: [], metadata: null }, valid],
    ['fields that nobody knows', { ...valid, kind: 'message', parts: [{ text: 'hello', kind: 'text' }] }, valid],
    ['an empty text', { ...valid, parts: [{ text: '' }] }, { ...valid, parts: [{ text: '' }] }],
    ['data that is null', { ...valid, parts: [{ data: null }] }, { ...valid, parts: [{ data: null }] }],
    ['data that is false', { ...valid, parts: [{ data: false }] }, { ...valid, parts: [{ data: false }] }],
    ['base64 for URLs without padding', { ...valid, parts: [{ raw: '-_8' }] }, { ...valid, parts: [{ raw: '+/8=' }] }],
    ['NUL characters', { ...valid, parts: [{ text: 'a\u0000b' }] }, { ...valid, parts: [{ text: 'a\u0000b' }] }],
    [
      'keys of data as they are',
      { ...valid, parts: [{ data: { media_type: 1, x_y: null } }] },
      { ...valid, parts: [{ data: { media_type: 1, x_y: null } }] },
    ],
    ['100 levels', { ...valid, parts: [{ data: nested(97) }] }, { ...valid, parts: [{ data: nested(97) }] }],
  ])('takes %s', (_name, value, expected) => {
    expect(parseMessage(value)).toStrictEqual(expected);
  });

  it.each<[string, unknown, string, RegExp]>([
    ['null', null, 'message', /object/],
    ['a string', 'hello', 'message', /object/],
    ['a list', [valid], 'message', /object/],
    ['no messageId', { ...valid, messageId: undefined }, 'message.messageId', /required/],
    ['an empty messageId', { ...valid, messageId: '' }, 'message.messageId', /required/],
    ['a messageId that is an object', { ...valid, messageId: {} }, 'message.messageId', /string/],
    ['a messageId of 10 KB', { ...valid, messageId: 'x'.repeat(10_000) }, 'message.messageId', /1024/],
    ['no role', { messageId: 'm', parts: valid.parts }, 'message.role', /required/],
    ['an unknown role', { ...valid, role: 'user' }, 'message.role', /ROLE_USER/],
    ['the unspecified role', { ...valid, role: 0 }, 'message.role', /ROLE_USER/],
    ['no parts', { messageId: 'm', role: 'ROLE_USER' }, 'message.parts', /required/],
    ['parts that are no list', { ...valid, parts: {} }, 'message.parts', /list/],
    ['an empty list of parts', { ...valid, parts: [] }, 'message.parts', /at least one/],
    ['a part that is null', { ...valid, parts: [null] }, 'message.parts[0]', /object/],
    [
      'a part without content',
      { ...valid, parts: [{ text: 'x' }, { filename: 'f' }] },
      'message.parts[1]',
      /exactly one/,
    ],
    ['a part with two contents', { ...valid, parts: [{ text: 'x', data: null }] }, 'message.parts[0]', /text and data/],
    ['text that is a number', { ...valid, parts: [{ text: 7 }] }, 'message.parts[0].text', /string/],
    ['raw that is not base64', { ...valid, parts: [{ raw: 'a b!' }] }, 'message.parts[0].raw', /base64/],
    ['raw that is cut short', { ...valid, parts: [{ raw: 'AAAAA' }] }, 'message.parts[0].raw', /base64/],
    ['metadata that is a list', { ...valid, metadata: [] }, 'message.metadata', /object/],
    ['both spellings of a field', { ...valid, message_id: 'm-2' }, 'message.messageId', /two spellings/],
    ['101 levels', { ...valid, parts: [{ data: nested(98) }] }, 'message', /100 levels/],
    ['10,000 levels', { ...valid, parts: [{ data: nested(10_000) }] }, 'message', /100 levels/],
    ['half of a surrogate pair', { ...valid, parts: [{ text: '\ud83d' }] }, 'message', /surrogate/],
    ['half of a surrogate pair in a key', { ...valid, metadata: { '\udc00': 1 } }, 'message', /surrogate/],
  ])('refuses %s', (_name, value, field, description) => {
    const failure = failureOf(() => parseMessage(value));
    expect(failure.kind).toBe('invalid-request');
    expect(failure.violations).toContainEqual({ field, description: expect.stringMatching(description) });
    expect(failure.message).toContain(field);
  });

  it('names everything that is wrong at once', () => {
    const failure = failureOf(() => parseMessage({ role: 'x', parts: [{}] }));
    expect(failure.violations.map(({ field }) => field)).toEqual([
      'message.messageId',
      'message.role',
      'message.parts[0]',
    ]);
    expect(failure.message).toContain('and 2 more');
  });

  it('leaves a __proto__ in data a plain key', () => {
    const message = parseMessage({ ...valid, parts: [{ data: JSON.parse('{"__proto__": {"polluted": true}}') }] });
    expect(JSON.stringify(message.parts[0]?.data)).toBe('{"__proto__":{"polluted":true}}');
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('parseSendRequest', () => {
  it('gives the configuration its defaults', () => {
    expect(parseSendRequest({ message: valid })).toStrictEqual({
      message: valid,
      configuration: { returnImmediately: false, acceptedOutputModes: [] },
    });
  });

  it('reads both spellings', () => {
    const configuration = { return_immediately: true, history_length: 0, accepted_output_modes: ['text/plain'] };
    expect(parseSendRequest({ message: valid, configuration, metadata: { a: 1 }, tenant: '' })).toStrictEqual({
      message: valid,
      configuration: { returnImmediately: true, historyLength: 0, acceptedOutputModes: ['text/plain'] },
      metadata: { a: 1 },
    });
  });

  it.each<[string, unknown, string]>([
    ['no message', {}, 'message'],
    [
      'a negative historyLength',
      { message: valid, configuration: { historyLength: -1 } },
      'configuration.historyLength',
    ],
    ['half a message', { message: valid, configuration: { historyLength: 1.5 } }, 'configuration.historyLength'],
    [
      'returnImmediately as text',
      { message: valid, configuration: { returnImmediately: 'yes' } },
      'configuration.returnImmediately',
    ],
    [
      'output modes as text',
      { message: valid, configuration: { acceptedOutputModes: 'text/plain' } },
      'configuration.acceptedOutputModes',
    ],
    ['a configuration that is a list', { message: valid, configuration: [] }, 'configuration'],
    ['a part without content', { message: { ...valid, parts: [{}] } }, 'message.parts[0]'],
  ])('refuses %s', (_name, value, field) => {
    expect(failureOf(() => parseSendRequest(value)).violations[0]?.field).toBe(field);
  });
});
