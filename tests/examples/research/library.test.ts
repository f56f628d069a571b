import { describe, expect, it } from '@jest/globals';
import { choosePackages } from '../../../examples/research/choice.ts';
import { cutDeclarations, cutMarkdown } from '../../../examples/research/library/passages.ts';
import { stemOf, wordsOf } from '../../../examples/research/library/words.ts';

const INSTALLED = ['@a2a-js/sdk', '@temporalio/client', '@temporalio/workflow', '@types/koa', 'koa', 'zod'];

describe('choosePackages', () => {
  it.each([
    ['all', INSTALLED],
    ['All of them, please!', INSTALLED],
    ['*', INSTALLED],
    ['zod', ['zod']],
    ['ZOD; koa', ['koa', 'zod']],
    ['@temporalio/client', ['@temporalio/client']],
    ['@temporalio/*', ['@temporalio/client', '@temporalio/workflow']],
    ['temporal and `zod`.', ['@temporalio/client', '@temporalio/workflow', 'zod']],
    ['a2a', ['@a2a-js/sdk']],
    ['leftpad', []],
    ['', []],
    [', ,;', []],
  ])('%j', (answer, packages) => {
    expect(choosePackages(answer, INSTALLED).packages).toEqual(packages);
  });

  it('says which names it does not know, in few words', () => {
    expect(choosePackages('zod, leftpad', INSTALLED).unknown).toEqual(['leftpad']);
    const { unknown } = choosePackages(`${'y'.repeat(500)} `.repeat(50), INSTALLED);
    expect(unknown.length).toBeLessThanOrEqual(10);
    expect(unknown[0]?.length).toBeLessThanOrEqual(60);
  });
});

describe('words', () => {
  it.each([
    ['maximumAttempts', ['maximum', 'attempts']],
    ['A2AService gRPC', ['a2a', 'service', 'g', 'rpc']],
    ['tasks/resubscribe: "x"', ['tasks', 'resubscribe', 'x']],
    ['überprüfe 🦄', ['überprüfe']],
  ])('%j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it.each([
    ['retries', 'retry'],
    ['activities', 'activity'],
    ['running', 'run'],
    ['streaming', 'stream'],
    ['string', 'string'],
    ['process', 'process'],
    ['the', null],
  ])('%s has the stem %s', (word, stem) => {
    expect(stemOf(word)).toBe(stem);
  });
});

describe('passages', () => {
  it('knows the lines of a paragraph and of a code block', () => {
    const lines = ['# Title', '', 'Two lines', 'of prose.', '', '## Part', '```ts', 'const answer = 42;', '```'];
    expect(cutMarkdown(lines)).toEqual([
      { line: 3, endLine: 4, kind: 'prose', title: 'Title', text: 'Two lines\nof prose.' },
      { line: 8, endLine: 8, kind: 'example', title: 'Title › Part', text: 'const answer = 42;' },
    ]);
  });

  it('puts a doc comment under the name that it documents', () => {
    const lines = [
      'export interface RetryPolicy {',
      '    /**',
      '     * Maximum number of attempts.',
      '     *',
      '     * @default Infinity',
      '     */',
      '    maximumAttempts?: number;',
      '}',
      '/** Waits. */',
      'export declare function sleep(ms: number): Promise<void>;',
    ];
    expect(cutDeclarations(lines)).toEqual([
      {
        line: 3,
        endLine: 5,
        kind: 'declaration',
        title: 'RetryPolicy.maximumAttempts',
        text: 'Maximum number of attempts.\n\n@default Infinity', // with the empty line: lines are counted
      },
      { line: 9, endLine: 9, kind: 'declaration', title: 'sleep', text: 'Waits.' },
    ]);
  });
});
