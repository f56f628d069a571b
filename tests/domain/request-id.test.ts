import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeBase64Url, encodeBase64Url } from '../../src/domain/base64url.ts';
import { requestIdOf, taskIdOfRequest } from '../../src/domain/request-id.ts';

const ascii = fc.string({ unit: 'binary-ascii', maxLength: 300 });
const RANDOM = '0123456789abcdef0123456789abcdef';

describe('base64url', () => {
  it("writes what Node's Buffer writes, and reads it back", () => {
    fc.assert(
      fc.property(ascii, (text) => {
        const encoded = encodeBase64Url(text);
        expect(encoded).toBe(Buffer.from(text, 'latin1').toString('base64url'));
        expect(decodeBase64Url(encoded)).toBe(text);
      }),
    );
  });

  it.each(['=', 'QQ==', 'a+b/', 'A', 'QUFBQ', 'é', '\u{1F600}', ' ', '____'])('refuses %j', (encoded) => {
    expect(decodeBase64Url(encoded)).toBeUndefined();
  });
});

describe('requestIdOf', () => {
  it('tells its task again, whatever the task is called', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii', minLength: 1 }), (taskId) => {
        expect(taskIdOfRequest(requestIdOf(taskId, RANDOM))).toBe(taskId);
      }),
    );
  });

  it.each([
    '',
    '.',
    RANDOM,
    `.${RANDOM}`,
    `A.${RANDOM}`,
    `dGFzaw.${RANDOM}.x`,
    `dGFzaw.${RANDOM}0`,
    `dGFzaw.${RANDOM.toUpperCase()}`,
    `dGFzaw=.${RANDOM}`,
    `dGFzaw.${RANDOM}\n`,
    '__proto__',
    'constructor.prototype',
  ])('knows that %j is no ID of a question', (requestId) => {
    expect(taskIdOfRequest(requestId)).toBeUndefined();
  });

  it('takes nonsense without an error', () => {
    fc.assert(fc.property(fc.string(), (requestId) => void taskIdOfRequest(requestId)));
  });
});
