import { describe, expect, it } from '@jest/globals';
import type { StreamResponse, TaskArtifactUpdateEvent } from '../../src/domain/a2a.ts';
import { joinAppends } from '../../src/push/join-appends.ts';

const update = (text: string, changes: Partial<TaskArtifactUpdateEvent> = {}): StreamResponse => ({
  artifactUpdate: {
    taskId: 't',
    contextId: 'c',
    artifact: { artifactId: 'answer', parts: [{ text }] },
    append: true,
    lastChunk: false,
    ...changes,
  },
});

describe('two events', () => {
  it('are one when the second appends to what the first is about', () => {
    expect(joinAppends(update('a', { append: false }), update('b', { lastChunk: true }))).toEqual(
      update('ab', { append: false, lastChunk: true }),
    );
  });

  it('keep their parts apart where these are more than text', () => {
    const data = update('', { artifact: { artifactId: 'answer', parts: [{ data: 1 }] } });
    expect(joinAppends(update('a'), data)).toMatchObject({
      artifactUpdate: { artifact: { parts: [{ text: 'a' }, { data: 1 }] } },
    });
  });

  const status: StreamResponse = {
    statusUpdate: { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING', timestamp: '' } },
  };
  it.each<[string, StreamResponse, StreamResponse]>([
    ['the second begins anew', update('a'), update('b', { append: false })],
    [
      'they are about two artifacts',
      update('a'),
      update('b', { artifact: { artifactId: 'other', parts: [{ text: 'b' }] } }),
    ],
    ['the first was the last chunk', update('a', { lastChunk: true }), update('b')],
    ['the second says more', update('a'), update('b', { metadata: { a: 1 } })],
    ['they are too long', update('a'.repeat(200_000)), update('b'.repeat(100_000))],
    ['one is a status', status, update('b')],
    ['the other is a status', update('a'), status],
  ])('stay two when %s', (_why, first, second) => {
    expect(joinAppends(first, second)).toBeUndefined();
  });
});
