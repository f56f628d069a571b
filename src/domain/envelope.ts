import type { Json } from './json.ts';
import type { KeptRef } from './kept.ts';

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

/** A large envelope as the workflow holds it. */
export interface EnvelopeRef {
  /** Its beginning, for whoever looks on. */
  readonly summary: string;
  readonly kept: KeptRef;
}

/** Workflow code never holds what is large: it would be written out again for each stage that is given it. */
export type KeptEnvelope = Envelope | EnvelopeRef;

export function isEnvelopeRef(envelope: KeptEnvelope): envelope is EnvelopeRef {
  return 'kept' in envelope;
}
