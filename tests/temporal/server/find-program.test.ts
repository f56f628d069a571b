import { describe, expect, it } from '@jest/globals';
import { hasServerVersion } from '../../../src/temporal/server/find-program.ts';

describe('hasServerVersion', () => {
  it.each([
    ['temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)', true],
    ['temporal version 1.9.9 (Server 1.32.7, UI 2.60.0)', true],
    ['temporal version 2.0.0 (Server 2.0.0, UI 3.0.0)', true],
    ['temporal version 1.4.0 (Server 1.28.1, UI 2.39.0)', false],
    ['temporal version 0.9.0 (Server 0.99.9, UI 2.39.0)', false],
    ['temporal version DEV', false],
    ['', false],
  ])('%j: %s', (versionLine, expected) => {
    expect(hasServerVersion(versionLine)).toBe(expected);
  });
});
