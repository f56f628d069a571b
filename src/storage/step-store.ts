/** Results of named steps: written before a step returns, so that a killed or retried stage does not repeat it. */
import type { Json } from '../domain/json.ts';

export interface StepKey {
  readonly taskId: string;
  readonly stageId: string;
  readonly element?: number;
  readonly name: string;
}

export interface StepStore {
  /** `{value}` when the step has been done, also when it returned nothing. */
  get(key: StepKey): Promise<{ value: Json | undefined } | undefined>;
  put(key: StepKey, value: Json | undefined): Promise<void>;
}
