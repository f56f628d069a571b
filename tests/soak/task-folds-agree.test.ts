import { it } from '@jest/globals';
import fc from 'fast-check';
import { expectFoldsToAgree } from '../support/folds-agree.ts';
import { randomTaskScript } from '../support/random-task-script.ts';

it.each([
  ['kept in the worker', true],
  ['replayed for each of its tasks', false],
])('gives the same task in the workflow and from its history over 100 random lives, %s', async (_name, isKept) => {
  await expectFoldsToAgree(fc.sample(randomTaskScript, 100), { isKept });
});
