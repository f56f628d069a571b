import { expect, it } from '@jest/globals';
import { PollSlots } from '../../../src/temporal/history/history-poll-slots.ts';
import { eventually } from '../../support/eventually.ts';

const { signal } = new AbortController();

it('gives no more places than it has, first come first served', async () => {
  const slots = new PollSlots(2);
  const [first] = [await slots.acquire(signal), await slots.acquire(signal)];
  const order: string[] = [];
  const third = slots.acquire(signal).then(() => order.push('third'));
  const fourth = slots.acquire(signal).then(() => order.push('fourth'));
  await Promise.resolve();
  expect(order).toEqual([]);

  first[Symbol.dispose]();
  await third;
  expect(order).toEqual(['third']);
  first[Symbol.dispose](); // twice is once
  await Promise.resolve();
  expect(order).toEqual(['third']);
  void fourth;
});

it('asks the oldest holder to make room when others wait', async () => {
  const slots = new PollSlots(2);
  const oldest = await slots.acquire(signal);
  const newest = await slots.acquire(signal);
  const waiting = slots.acquire(signal);
  await eventually(() => oldest.yieldSignal.aborted);
  expect(newest.yieldSignal.aborted).toBe(false);
  oldest[Symbol.dispose]();
  expect((await waiting).yieldSignal.aborted).toBe(false);
});

it('lets a waiter go that is aborted', async () => {
  const slots = new PollSlots(1);
  const held = await slots.acquire(signal);
  const aborter = new AbortController();
  const waiting = slots.acquire(aborter.signal);
  aborter.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  held[Symbol.dispose]();
  await slots.acquire(signal);
});
