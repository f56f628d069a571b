import { describe, expect, it } from '@jest/globals';
import { artifactUri, parseArtifactUri } from '../../src/domain/stage-run.ts';

const SHA = 'a'.repeat(64);

describe('artifact URIs', () => {
  it.each(['result', '0f'.repeat(32), 'report.md', '__proto__'])('lead back to artifact %s', (artifactId) => {
    expect(parseArtifactUri(artifactUri(artifactId, SHA))).toEqual({ artifactId, sha256: SHA });
  });

  it.each([
    '',
    'artifact:',
    `artifact:/${SHA}`,
    `artifact:a/b/${SHA}`,
    `artifact:a/${SHA}0`,
    `artifact:a/${SHA.toUpperCase()}`,
    `artifact:a/${SHA}\n`,
    `xartifact:a/${SHA}`,
    `https://example.org/artifact:a/${SHA}`,
  ])('are not taken for %j', (uri) => {
    expect(parseArtifactUri(uri)).toBeUndefined();
  });
});
