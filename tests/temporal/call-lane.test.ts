import { setImmediate as settled } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { Failure } from '../../src/domain/failure.ts';
import { CallLane } from '../../src/temporal/call-lane.ts';

/** Calls that end when the test says so. */
function createCalls() {
  const ends: PromiseWithResolvers<string>[] = [];
  const call = () => {
    const end = Promise.withResolvers<string>();
    ends.push(end);
    return end.promise;
  };
  return { ends, call };
}

const away = () => new Failure('unavailable', 'away');

it('lets in so many calls at once, and the others in the order in which they came', async () => {
  const { ends, call } = createCalls();
  const lane = new CallLane({ size: 2, waitMs: 60_000 });
  const all = [1, 2, 3, 4].map(() => lane.run(call));
  const outcomes = Promise.allSettled(all);
  await settled();
  expect(ends).toHaveLength(2);
  ends[1]!.resolve('second');
  await settled();
  expect(ends).toHaveLength(3);
  ends[0]!.reject(new Error('a slip'));
  await settled();
  expect(ends).toHaveLength(4);
  ends[2]!.resolve('third');
  ends[3]!.resolve('fourth');
  expect(await outcomes).toMatchObject([
    { reason: { message: 'a slip' } },
    { value: 'second' },
    { value: 'third' },
    { value: 'fourth' },
  ]);
});

it('does not let calls wait for a server that is away, and takes new ones', async () => {
  const { ends, call } = createCalls();
  const lane = new CallLane({ size: 1, waitMs: 60_000 });
  const all = [1, 2, 3].map(() => lane.run(call));
  const outcomes = Promise.allSettled(all);
  await settled();
  ends[0]!.reject(away());
  expect(await outcomes).toMatchObject([1, 2, 3].map(() => ({ reason: { kind: 'unavailable' } })));
  expect(ends).toHaveLength(1);
  const next = lane.run(call);
  await settled();
  ends[1]!.resolve('back');
  expect(await next).toBe('back');
});

it('lets calls wait on when one was too late while others are answered', async () => {
  const { ends, call } = createCalls();
  const lane = new CallLane({ size: 2, waitMs: 60_000 });
  const all = [1, 2, 3, 4].map(() => lane.run(call));
  const outcomes = Promise.allSettled(all);
  await settled();
  ends[0]!.resolve('first');
  await settled();
  ends[1]!.reject(away());
  await settled();
  ends[2]!.resolve('third');
  ends[3]!.resolve('fourth');
  expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
});

it('refuses as busy what has waited too long, and gives its place to no one else’s loss', async () => {
  const { ends, call } = createCalls();
  const lane = new CallLane({ size: 1, waitMs: 20 });
  const [first, late] = [lane.run(call), lane.run(call)];
  await expect(late).rejects.toMatchObject({ kind: 'busy' });
  ends[0]!.resolve('first');
  expect(await first).toBe('first');
  const next = lane.run(call);
  await settled();
  ends[1]!.resolve('next');
  expect(await next).toBe('next');
});
