/** Whatever an executor returns, every client can take the events that show it. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createStageRig, type StageRig } from './stage-rig.ts';

let rig: StageRig;
beforeEach(async () => {
  rig = await createStageRig();
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
});

const MEBIBYTE = 1024 * 1024;

it('a payload over 1 MiB is a file beside itself', async () => {
  const payload = { text: 'ü'.repeat(MEBIBYTE / 2) };
  const envelope = await rig.envelope({ executor: () => ({ summary: 'large', payload }) });
  expect(envelope.payload).toEqual(payload);
  expect(envelope.artifacts).toMatchObject([
    { artifactId: 'result', name: 'result.json', mediaType: 'application/json' },
  ]);
  expect(JSON.parse(await rig.read(envelope.artifacts[0]!))).toEqual(payload);
});

it('a payload that is not so large is not', async () => {
  const envelope = await rig.envelope({ executor: () => ({ summary: '', payload: 'a'.repeat(MEBIBYTE - 2) }) });
  expect(envelope.artifacts).toEqual([]);
});

it('a file of the executor is not lost to the one of the payload, whatever its name', async () => {
  const payload = 'a'.repeat(MEBIBYTE);
  const artifacts = [{ name: 'result.json', content: '{}' }];
  const envelope = await rig.envelope({ executor: () => ({ summary: '', payload, artifacts }) });
  expect(envelope.artifacts.map(({ bytes }) => bytes)).toEqual([2, MEBIBYTE + 2]);
});

it.each([
  ['a reply', () => ({ reply: 'a'.repeat(MEBIBYTE) }), 'The reply is larger than 1 MiB'],
  [
    'a question',
    ({ ask }: { ask: (question: object) => unknown }) =>
      ask({ id: 'q', kind: 'free_text', message: 'a'.repeat(100_001) }),
    'longer than 100000 characters',
  ],
])('%s that is too large is refused, naming the limit', async (_what, executor, why) => {
  const outcome = rig.run({ executor: executor as never, stage: { gates: ['free_text'] } });
  await expect(outcome).rejects.toThrow(why);
});
