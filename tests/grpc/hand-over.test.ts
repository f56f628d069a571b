import { describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { HandOver } from '../../src/grpc/hand-over.ts';

describe('HandOver', () => {
  it('gives what was pushed, in order, then ends', async () => {
    const events = new HandOver<number>();
    events.give(1);
    events.give(2);
    events.end();
    const seen: number[] = [];
    for await (const event of events) seen.push(event);
    expect(seen).toEqual([1, 2]);
  });

  it('fails after all has been taken', async () => {
    const events = new HandOver<number>();
    events.give(1);
    events.fail(new Error('broken'));
    const seen: number[] = [];
    await expect(
      (async () => {
        for await (const event of events) seen.push(event);
      })(),
    ).rejects.toThrow('broken');
    expect(seen).toEqual([1]);
  });

  it('lets the giver wait until its item has been taken and the next one is asked for', async () => {
    const events = new HandOver<number>();
    const reader = events[Symbol.asyncIterator]();
    events.give(1);
    let isTaken = false;
    const taken = events.taken().then(() => (isTaken = true));
    await reader.next();
    await nextTurn();
    expect(isTaken).toBe(false);
    const second = reader.next();
    await taken;
    events.end();
    expect((await second).done).toBe(true);
  });

  it('lets nobody wait for a reader that has gone', async () => {
    const events = new HandOver<number>();
    events.give(1);
    const taken = events.taken();
    events.end();
    await expect(taken).resolves.toBeUndefined();
  });
});
