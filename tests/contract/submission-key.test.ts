import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { contentHash, contextIdOf, submissionKey, taskIdOf } from '../../src/contract/submission-key.ts';
import type { Message } from '../../src/domain/a2a.ts';

const first = { dedupe: 'message', tenant: null, caller: 'ann', publication: 'echo', messageId: 'm-1' } as const;

describe('submissionKey', () => {
  it('is the same for the same submission', () => {
    expect(submissionKey({ ...first })).toEqual(submissionKey(first));
  });

  it.each([
    ['caller', { ...first, caller: 'bob' }],
    ['publication', { ...first, publication: 'other' }],
    ['messageId', { ...first, messageId: 'm-2' }],
    ['tenant', { ...first, tenant: 't' }],
    ['idempotency key of the same text as the messageId', { ...first, idempotencyKey: 'm-1' }],
  ])('is another for another %s', (_name, submission) => {
    expect(submissionKey(submission)).not.toEqual(submissionKey(first));
  });

  it('does not see the messageId behind an idempotency key', () => {
    const keyed = { ...first, idempotencyKey: 'k' };
    expect(submissionKey({ ...keyed, messageId: 'm-2' })).toEqual(submissionKey(keyed));
  });

  it('keeps apart what stands side by side, whatever the names', () => {
    const name = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(name, name, name, name, (caller, publication, otherCaller, otherPublication) => {
        fc.pre(caller !== otherCaller || publication !== otherPublication);
        const one = submissionKey({ ...first, caller, publication });
        expect(submissionKey({ ...first, caller: otherCaller, publication: otherPublication })).not.toEqual(one);
      }),
    );
  });
});

describe('taskIdOf and contextIdOf', () => {
  it('write 130 bits in base32 behind the publication', () => {
    expect(taskIdOf('echo', Buffer.from('foobarfoobarfoobarfoobarfoobar12'))).toBe('echo-mzxw6ytbojtg633cmfzgm33pmj');
    expect(taskIdOf('echo', submissionKey(first))).toMatch(/^echo-[a-z2-7]{26}$/);
  });

  it('are the same again for the same key, and tell nothing of each other', () => {
    const key = submissionKey(first);
    expect(contextIdOf(key)).toBe(contextIdOf(submissionKey({ ...first })));
    expect(contextIdOf(key)).toMatch(/^ctx-[a-z2-7]{26}$/);
    expect(contextIdOf(key).slice(4)).not.toBe(taskIdOf('echo', key).slice(5));
  });
});

describe('contentHash', () => {
  const message: Message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ data: { a: 1, b: [2] } }] };

  it('does not see the messageId or the order of keys', () => {
    expect(contentHash({ parts: [{ data: { b: [2], a: 1 } }], role: 'ROLE_USER', messageId: 'm-2' })).toBe(
      contentHash(message),
    );
    expect(contentHash(message)).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each<[string, Message]>([
    ['parts', { ...message, parts: [{ data: { a: 1, b: [3] } }] }],
    ['metadata', { ...message, metadata: { skill: 'echo' } }],
    ['contextId', { ...message, contextId: 'c' }],
  ])('sees other %s', (_name, other) => {
    expect(contentHash(other)).not.toBe(contentHash(message));
  });
});
