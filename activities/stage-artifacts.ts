import { AsyncLocalStorage } from 'node:async_hooks';
import type { Part } from '../src/domain/a2a.ts';
import type { ArtifactRef } from '../src/domain/envelope.ts';
import { artifactUri } from '../src/domain/stage-run.ts';
import { limitExceeded } from './stage-failed-error.ts';

/** Each is named in the task, and in every event that shows the whole of it. */
const ARTIFACTS_MAX = 1_000;

/**
 * The artifacts of one run of a stage, by name. What a step writes is kept with the step: when the step is not repeated, its
 * artifacts are the stage's all the same.
 */
export class StageArtifacts {
  readonly #refs = new Map<string, ArtifactRef>();
  readonly #names = new Set<string>();
  readonly #step = new AsyncLocalStorage<Map<string, ArtifactRef>>();

  /** `ref` is undefined for an artifact with no bytes of its own (a link). */
  record(name: string, ref: ArtifactRef | undefined): void {
    this.#names.add(name);
    if (this.#names.size > ARTIFACTS_MAX) throw limitExceeded('The number of artifacts', ARTIFACTS_MAX, 'of one stage');
    if (ref === undefined) return;
    this.#refs.set(name, ref);
    this.#step.getStore()?.set(name, ref);
  }

  /** Runs a step's work, and answers the artifacts that it wrote as well. */
  async during<Result>(work: () => Promise<Result>): Promise<{ result: Result; refs: readonly ArtifactRef[] }> {
    const outer = this.#step.getStore();
    const written = new Map<string, ArtifactRef>();
    const result = await this.#step.run(written, work);
    for (const [name, ref] of written) outer?.set(name, ref); // a step within a step is part of both
    return { result, refs: [...written.values()] };
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  get refs(): readonly ArtifactRef[] {
    return [...this.#refs.values()];
  }
}

/** The part with which a task names a file of the artifact store. */
export function partOf(ref: ArtifactRef): Part {
  return {
    url: artifactUri(ref.artifactId, ref.sha256),
    filename: ref.name,
    mediaType: ref.mediaType,
    metadata: { bytes: ref.bytes, sha256: ref.sha256 },
  };
}
