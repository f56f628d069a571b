/** Whatever an executor returns, every client can take the events that show it. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Executor } from '../../src/domain/executor.ts';
import type { StageOutcome } from '../../src/domain/stage-run.ts';
import { artifactItems, createStageRig, type StageRig } from './stage-rig.ts';

let rig: StageRig;
beforeEach(async () => {
  rig = await createStageRig();
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
});

const MEBIBYTE = 1024 * 1024;

it('a result over 1 MiB is a file in the place of data', async () => {
  const payload = { text: 'ü'.repeat(MEBIBYTE / 2) };
  const envelope = await rig.envelope({ executor: () => ({ summary: 'large', payload }) });
  expect(envelope).not.toHaveProperty('payload');
  expect(envelope.artifacts).toMatchObject([
    { artifactId: 'result', name: 'result.json', mediaType: 'application/json' },
  ]);
  expect(JSON.parse(await rig.read(envelope.artifacts[0]!))).toEqual(payload);
});

it('what a later stage is given is kept in the store, and no file of the task', async () => {
  const executor = () => ({ summary: 'large', payload: 'ü'.repeat(8_000) });
  const outcome = await rig.run({ executor, run: { isResult: false } });
  expect(outcome).toMatchObject({
    envelope: { summary: 'large', kept: { sha256: expect.any(String), bytes: expect.any(Number) } },
  });
  expect(await rig.envelope({ executor, run: { isResult: false } })).toEqual({ ...executor(), artifacts: [] });
});

it('and the next stage gets a copy of its own', async () => {
  const made = await rig.run({
    executor: () => ({ summary: 'list', payload: ['x'.repeat(10_000)] }),
    run: { isResult: false },
  });
  const upstream = { list: (made as Extract<StageOutcome, { outcome: 'envelope' }>).envelope };
  const executor: Executor = ({ upstream: { list } }) => {
    const lengths = (list?.payload as string[]).splice(0).map((text) => text.length);
    return { summary: JSON.stringify({ lengths, left: list?.payload }) };
  };
  for (const _try of [1, 2]) {
    expect(JSON.parse((await rig.envelope({ executor, upstream })).summary)).toEqual({ lengths: [10_000], left: [] });
  }
});

it('text and data of all artifacts together stay below 1 MiB in the task; what goes beyond it is a file', async () => {
  const half = 'x'.repeat(MEBIBYTE / 2);
  const envelope = await rig.envelope({
    executor: async ({ stream }) => {
      await stream(half, { artifact: 'one.txt' });
      await stream(half, { artifact: 'two.txt' });
      await stream(half, { artifact: 'two.txt' });
      return { summary: 'half', payload: 'x'.repeat(MEBIBYTE / 2) };
    },
  });
  const shown = artifactItems(rig.signals);
  const last = (name: string) => shown.findLast(({ artifact }) => artifact.name === name)?.artifact.parts[0];
  expect(last('one.txt')).toHaveProperty('text');
  expect(last('two.txt')).toHaveProperty('url');
  expect(envelope.artifacts.map(({ name }) => name)).toContain('result.json');
});

it('what earlier turns show takes room, unless it is begun anew', async () => {
  const executor: Executor = async ({ stream }) => {
    await stream('x'.repeat(MEBIBYTE / 2));
    return { summary: '' };
  };
  const isText = async (shownBytes: Record<string, number>) => {
    rig.signals.length = 0;
    await rig.envelope({ executor, run: { turn: 1, shownBytes } });
    return artifactItems(rig.signals).at(-1)?.artifact.parts[0]?.text !== undefined;
  };
  expect(await isText({ answer: MEBIBYTE })).toBe(true);
  expect(await isText({ other: MEBIBYTE })).toBe(false);
});

it('more than 1,000 artifacts end the stage, and the caller is told the limit', async () => {
  const executor: Executor = async ({ writeArtifact }) => {
    for (let count = 0; count <= 1_000; count += 1)
      await writeArtifact({ name: `${count}`, url: 'https://example.org/' });
    return { summary: '' };
  };
  const publicMessage = 'The number of artifacts exceeds the limit of 1000 of one stage';
  await expect(rig.run({ executor })).rejects.toMatchObject({
    nonRetryable: true,
    details: [{ reason: 'limit-exceeded', publicMessage }],
  });
});

it.each([
  ['the result', true, 'The payload'],
  ['what a later stage is given', false, 'What the stage returned'],
])('%s over 64 MiB is refused once and for all, and the caller is told the limit', async (_what, isResult, what) => {
  const executor = () => ({ summary: '', payload: 'x'.repeat(64 * MEBIBYTE) });
  const failure = await rig.run({ executor, run: { isResult } }).catch((error: unknown) => error);
  const publicMessage = `${what} exceeds the limit of ${64 * MEBIBYTE} bytes`;
  expect(failure).toMatchObject({ nonRetryable: true, details: [{ reason: 'limit-exceeded', publicMessage }] });
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
  ['a reply', () => ({ reply: 'a'.repeat(MEBIBYTE) }), 'The reply exceeds the limit of 1048576 bytes'],
  [
    'a question',
    ({ ask }: { ask: (question: object) => unknown }) =>
      ask({ id: 'q', kind: 'free_text', message: 'a'.repeat(100_001) }),
    'exceeds the limit of 100000 characters',
  ],
])('%s that is too large is refused, naming the limit', async (_what, executor, why) => {
  const outcome = rig.run({ executor: executor as never, stage: { gates: ['free_text'] } });
  await expect(outcome).rejects.toThrow(why);
});

it('an executor that calls in a tight loop leaves the worker its turn', async () => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const executor: Executor = async ({ progress }) => {
    const end = performance.now() + 500;
    while (performance.now() < end) await progress({ text: 'busy' });
    return { summary: String(turns) };
  };
  const { summary } = await rig.envelope({ executor });
  clearInterval(timer);
  expect(Number(summary)).toBeGreaterThan(5);
});
