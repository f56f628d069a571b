import { describe, expect, it } from '@jest/globals';
import { createTargetSeal, SealBrokenError } from '../../src/push/target-seal.ts';

const target = {
  url: 'https://example.com/T0P',
  token: 't0k3n',
  authentication: { scheme: 'Bearer', credentials: 's3cret' },
};
const place = { taskId: 'echo-1', webhookId: 'h' };
const seal = createTargetSeal('secret-'.repeat(6));

describe('a sealed target', () => {
  it('opens as what it was, and says nothing of it', () => {
    const sealed = seal.seal(target, place);
    expect(createTargetSeal('secret-'.repeat(6)).open(sealed, place)).toEqual(target);
    expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toMatch(/example|t0k3n|s3cret|Bearer/);
    expect(seal.seal(target, place)).not.toBe(sealed);
  });

  it.each([
    ['another secret', createTargetSeal('another-'.repeat(6)), place, (sealed: Buffer) => sealed],
    ['another task', seal, { ...place, taskId: 'echo-2' }, (sealed: Buffer) => sealed],
    ['another configuration', seal, { ...place, webhookId: 'g' }, (sealed: Buffer) => sealed],
    [
      'a changed byte',
      seal,
      place,
      (sealed: Buffer) => (sealed.writeUInt8(sealed.at(-1)! ^ 1, sealed.length - 1), sealed),
    ],
    ['another version', seal, place, (sealed: Buffer) => (sealed.writeUInt8(2, 0), sealed)],
    ['a short tag', seal, place, (sealed: Buffer) => sealed.subarray(0, 20)],
    ['nothing', seal, place, () => Buffer.alloc(0)],
  ])('does not open with %s', (_name, by, at, change) => {
    const sealed = change(Buffer.from(seal.seal(target, place), 'base64url')).toString('base64url');
    expect(() => by.open(sealed, at)).toThrow(SealBrokenError);
  });

  it('has a fingerprint of all that it holds', () => {
    const same = seal.fingerprint({ ...target });
    expect(seal.fingerprint(target)).toBe(same);
    for (const other of [
      { ...target, url: 'https://example.com/' },
      { ...target, token: 'other' },
      { ...target, authentication: { scheme: 'Basic', credentials: 's3cret' } },
      { ...target, authentication: { scheme: 'Bearer', credentials: 'other' } },
      { url: target.url },
    ]) {
      expect(seal.fingerprint(other)).not.toBe(same);
    }
  });
});
