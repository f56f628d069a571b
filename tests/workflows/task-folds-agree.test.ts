import { describe, it } from '@jest/globals';
import fc from 'fast-check';
import { expectFoldsToAgree } from '../support/folds-agree.ts';
import { randomTaskScript } from '../support/random-task-script.ts';

const SCRIPTS = 12;
const BEGIN_MS = 8_000;

describe("the workflow's fold and its history's", () => {
  it.each([
    ['kept in the worker', true],
    ['replayed for each of its tasks', false],
  ])('are the same task whatever arrives when, with the workflow %s', async (_name, isKept) => {
    await expectFoldsToAgree(fc.sample(randomTaskScript, SCRIPTS), { isKept, beginMs: BEGIN_MS });
  });
});
