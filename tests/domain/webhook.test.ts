import { describe, expect, it } from '@jest/globals';
import {
  foldWebhooks,
  isWebhookChange,
  NO_WEBHOOKS,
  type Webhook,
  type WebhookChange,
} from '../../src/domain/webhook.ts';

const webhook = (id: string, changes: Partial<Webhook> = {}): Webhook => ({
  id,
  sealed: `sealed ${id}`,
  host: 'example.com',
  fingerprint: `print of ${id}`,
  wireVersion: '1.0',
  from: 'run.1.0',
  registeredAt: '2026-01-01T00:00:00.000Z',
  ...changes,
});
const fold = (...changes: WebhookChange[]) => changes.reduce(foldWebhooks, NO_WEBHOOKS);
const ids = (...changes: WebhookChange[]) => fold(...changes).list.map(({ id }) => id);

describe('the webhooks of a task', () => {
  it('are those that were set and not deleted, in the order of their registration', () => {
    expect(
      ids(
        { signalId: '1', set: webhook('a') },
        { signalId: '2', set: webhook('b') },
        { signalId: '3', deleted: 'a' },
        { signalId: '4', set: webhook('c') },
        { signalId: '5', deleted: 'nobody' },
      ),
    ).toEqual(['b', 'c']);
  });

  it('take each change once', () => {
    const set = { signalId: '1', set: webhook('a') };
    expect(ids(set, { signalId: '2', deleted: 'a' }, set)).toEqual([]);
  });

  it('stay what they are when the same is registered again', () => {
    const before = fold({ signalId: '1', set: webhook('a') });
    const again = foldWebhooks(before, {
      signalId: '2',
      set: webhook('a', { from: 'run.9.0', sealed: 'other bytes' }),
    });
    expect(again.list).toBe(before.list);
  });

  it('are replaced by another target, or for another version, under the same ID', () => {
    for (const change of [{ fingerprint: 'other' }, { wireVersion: '0.3' }] as const) {
      const other = webhook('a', change);
      expect(fold({ signalId: '1', set: webhook('a') }, { signalId: '2', set: other }).list).toEqual([other]);
    }
  });
});

it.each([
  [{ signalId: '1', set: webhook('a') }, true],
  [{ signalId: '1', deleted: 'a' }, true],
  [undefined, false],
  ['set', false],
  [{ deleted: 'a' }, false],
  [{ signalId: '1' }, false],
  [{ signalId: '1', set: { ...webhook('a'), sealed: 5 } }, false],
  [{ signalId: '1', set: { ...webhook('a'), wireVersion: '2.0' } }, false],
])('%j is a change: %p', (value, is) => {
  expect(isWebhookChange(value)).toBe(is);
});
