import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { DefaultLogger } from '@temporalio/worker';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createJoinElements } from '../../activities/join-elements.ts';
import { keepEnvelope } from '../../activities/keep-envelope.ts';
import type { Envelope, KeptEnvelope } from '../../src/domain/envelope.ts';
import { createFolderArtifactStore } from '../../src/storage/artifact-store-folder.ts';
import { createKeptValues } from '../../src/storage/kept-values.ts';
import { createPayloadStore } from '../../src/storage/payload-store.ts';
import { temporaryFolder } from '../support/environment.ts';

const elements: readonly Envelope[] = ['a', 'b'].map((name) => ({
  summary: name,
  payload: name.repeat(700_000),
  artifacts: [],
}));

async function join(isResult: boolean, envelopes = elements) {
  const folder = await temporaryFolder();
  const kept = createKeptValues(createPayloadStore({ directory: folder.path }));
  const artifacts = createFolderArtifactStore(folder.path);
  const refs: KeptEnvelope[] = [];
  for (const envelope of envelopes) refs.push(await keepEnvelope(kept, envelope, 1_000));
  const activity = new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR', () => undefined) });
  const given = { taskId: 'task-1', envelopes: refs, isResult };
  const joined = await activity.run(createJoinElements({ kept, artifacts }) as never, given as never);
  return { joined: joined as KeptEnvelope, kept, artifacts, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

it('joins large envelopes in the order of the elements, for later stages', async () => {
  await using made = await join(false);
  if (!('kept' in made.joined)) throw new Error('it is not kept');
  expect(JSON.parse(await made.kept.get(made.joined.kept))).toEqual({
    summary: 'a\nb',
    payload: elements,
    artifacts: [],
  });
});

it('makes a file of a result that the task has no room for', async () => {
  await using made = await join(true);
  if ('kept' in made.joined) throw new Error('it is kept');
  expect(made.joined).toEqual({
    summary: 'a\nb',
    artifacts: [expect.objectContaining({ artifactId: 'result', name: 'result.json', mediaType: 'application/json' })],
  });
  const file = await made.artifacts.open('task-1', 'result', made.joined.artifacts[0]!.sha256);
  expect(JSON.parse(await text(file!.stream))).toEqual(elements);
});

it('leaves a result that is not so large as data', async () => {
  const small = elements.map((envelope) => ({ ...envelope, payload: 'x'.repeat(2_000) }));
  await using made = await join(true, small);
  expect(made.joined).toEqual({ summary: 'a\nb', payload: small, artifacts: [] });
});

it('refuses what is more than a worker may hold, naming the limit', async () => {
  const large = Array.from({ length: 2 }, () => ({ ...elements[0]!, payload: 'x'.repeat(40 * 1024 * 1024) }));
  await expect(join(false, large)).rejects.toMatchObject({
    nonRetryable: true,
    message: 'What the elements returned together exceeds the limit of 67108864 bytes',
  });
});
