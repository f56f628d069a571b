import type { StepKey, StepStore } from '../src/storage/step-store.ts';
import type { Json } from '../src/domain/json.ts';
import { unlessStorageFails } from './stage-failed-error.ts';
import type { StagePlace } from './stage-keys.ts';

/**
 * What a stage keeps over retries and questions. Names are prefixed by what they are of, so that a step called by any name
 * meets no record of ours.
 */
export class StageMemory {
  readonly #store: StepStore;
  readonly #place: StagePlace;

  constructor(store: StepStore, place: StagePlace) {
    this.#store = store;
    this.#place = place;
  }

  read(kind: 'step' | 'failures', name: string): Promise<{ value: Json | undefined } | undefined> {
    return unlessStorageFails('Reading the step store', this.#store.get(this.#key(kind, name)));
  }

  write(kind: 'step' | 'failures', name: string, value: Json): Promise<void> {
    return unlessStorageFails('Writing the step store', this.#store.put(this.#key(kind, name), value));
  }

  #key(kind: string, name: string): StepKey {
    const { taskId, stageId, element } = this.#place;
    return { taskId, stageId, ...(element !== undefined && { element }), name: `${kind}:${name}` };
  }
}
