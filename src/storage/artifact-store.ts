/** Where the bytes of artifacts live. Immutable: other bytes under the same artifact ID are another object. */
import type { Readable } from 'node:stream';

export interface ArtifactStore {
  /** Stores the bytes and says what they are; storing the same again is harmless. */
  put(taskId: string, artifactId: string, content: Uint8Array | Readable): Promise<StoredArtifact>;
  /** undefined when there are no such bytes. */
  open(taskId: string, artifactId: string, sha256: string): Promise<{ stream: Readable; bytes: number } | undefined>;
}

export interface StoredArtifact {
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}
