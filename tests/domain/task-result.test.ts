import { describe, expect, it } from '@jest/globals';
import type { Envelope } from '../../src/domain/envelope.ts';
import { taskResult } from '../../src/domain/task-result.ts';
import { publicationOf, stageOf } from '../support/task-rig.ts';

const file = (name: string) => ({
  artifactId: `id-${name}`,
  name,
  mediaType: 'text/markdown',
  bytes: 3,
  sha256: 'a'.repeat(64),
});
const asPart = (name: string) => ({
  artifactId: `id-${name}`,
  name,
  parts: [
    {
      url: `artifact:id-${name}/${'a'.repeat(64)}`,
      filename: name,
      mediaType: 'text/markdown',
      metadata: { bytes: 3, sha256: 'a'.repeat(64) },
    },
  ],
});
const envelope = (changes: Partial<Envelope> = {}): Envelope => ({ summary: 'Done', artifacts: [], ...changes });
const pipeline = { id: 'p', stages: [stageOf('s')] };
const none: ReadonlySet<string> = new Set();
const answer = { artifactId: 'answer', name: 'answer', parts: [{ text: 'Done', mediaType: 'text/plain' }] };
const result = {
  artifactId: 'result',
  name: 'result',
  description: 'Done',
  parts: [{ data: { n: 1 }, mediaType: 'application/json' }],
};

const storedResult = {
  ...asPart('result.json'),
  artifactId: 'result',
  parts: [{ ...asPart('result.json').parts[0], url: `artifact:result/${'a'.repeat(64)}` }],
};

describe('the result of a plain skill', () => {
  const plain = publicationOf(pipeline, { plain: true });

  it.each([
    ['its summary', envelope(), none, [answer]],
    ['nothing when it has nothing to say', envelope({ summary: '' }), none, []],
    ['its payload beside the summary', envelope({ payload: { n: 1 } }), none, [answer, result]],
    [
      'a payload of null',
      envelope({ payload: null }),
      none,
      [answer, { ...result, parts: [{ data: null, mediaType: 'application/json' }] }],
    ],
    [
      'its files before the answer',
      envelope({ artifacts: [file('a'), file('b')] }),
      none,
      [asPart('a'), asPart('b'), answer],
    ],
    [
      'only the files not shown yet',
      envelope({ artifacts: [file('a'), file('b')] }),
      new Set(['id-a']),
      [asPart('b'), answer],
    ],
    [
      'the file that a large payload was stored as, once',
      envelope({ payload: { n: 1 }, artifacts: [{ ...file('result.json'), artifactId: 'result' }] }),
      none,
      [answer, storedResult],
    ],
    ['no second answer after a streamed one', envelope(), new Set(['answer']), []],
    [
      'no answer beside the file that it became',
      envelope({ artifacts: [{ ...file('answer.md'), artifactId: 'answer' }] }),
      none,
      [
        {
          ...asPart('answer.md'),
          artifactId: 'answer',
          parts: [{ ...asPart('answer.md').parts[0], url: `artifact:answer/${'a'.repeat(64)}` }],
        },
      ],
    ],
  ])('is %s', (_name, given, shown, expected) => {
    expect(taskResult(plain, given, { shown, isAnswered: shown.has('answer') }).artifacts).toEqual(expected);
  });

  it('replaces an answer that an earlier try has shown', () => {
    const { artifacts } = taskResult(plain, envelope(), { shown: new Set(['answer']), isAnswered: false });
    expect(artifacts).toMatchObject([{ artifactId: 'answer' }]);
  });
});

describe('the result of a pipeline', () => {
  const publish = (includePayload: boolean, artifacts: string[]) =>
    publicationOf(pipeline, { results: { stage: 's', includePayload, artifacts } });
  const full = envelope({ payload: { n: 1 }, artifacts: [file('report.md'), file('notes.md')] });

  it.each([
    ['its payload and the declared files', publish(true, ['report.md']), full, [asPart('report.md'), result]],
    ['the declared files alone', publish(false, ['report.md']), full, [asPart('report.md')]],
    ['the payload alone where no file is declared', publish(true, []), full, [result]],
    [
      'the file that a large payload was stored as',
      publish(true, ['result.json']),
      envelope({ payload: { n: 1 }, artifacts: [{ ...file('result.json'), artifactId: 'result' }] }),
      [storedResult],
    ],
    ['nothing', publish(false, []), full, []],
    ['no file that was not made', publish(true, ['ghost.md']), full, [result]],
    [
      'no payload where there is none',
      publish(true, ['report.md']),
      envelope({ artifacts: [file('report.md')] }),
      [asPart('report.md')],
    ],
    ['declared files also when shown before', publish(false, ['report.md']), full, [asPart('report.md')]],
  ])('is %s', (_name, publication, given, expected) => {
    expect(taskResult(publication, given, { shown: new Set(['id-report.md']), isAnswered: false }).artifacts).toEqual(
      expected,
    );
  });

  it.each([
    ['the summary', 'x'.repeat(2000), 'x'.repeat(2000)],
    ['nothing that is too long to say twice', 'x'.repeat(2001), undefined],
    ['nothing for an empty one', '', undefined],
  ])('closes with %s', (_name, summary, text) => {
    expect(taskResult(publish(true, []), envelope({ summary }), { shown: none, isAnswered: false }).text).toBe(text);
  });
});
