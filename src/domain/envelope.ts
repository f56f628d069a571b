import type { Json } from './json.ts';

/** A file that a stage left in the artifact store. */
export interface ArtifactRef {
  readonly artifactId: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** Hex SHA-256 of the bytes. */
  readonly sha256: string;
}

/** What a stage leaves behind for later stages and for the result. */
export interface Envelope {
  readonly summary: string;
  readonly payload?: Json;
  readonly artifacts: readonly ArtifactRef[];
}
