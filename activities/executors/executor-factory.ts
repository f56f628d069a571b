import type { Executor } from '../../src/domain/executor.ts';
import type { StageRun, TaskFacts } from '../../src/domain/stage-run.ts';
import type { ActivityLog } from '../dependencies.ts';

export interface ExecutorEnvironment {
  /** What the publication's root is relative to. */
  readonly configDirectory: string;
  /** The worker's own environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: ActivityLog;
  readonly run: StageRun;
  readonly facts: TaskFacts;
  readonly stopGraceMs: number;
}

/** Makes the executor that a stage's `executor` block describes. */
export type ExecutorFactory<Spec> = (spec: Spec, environment: ExecutorEnvironment) => Executor | Promise<Executor>;
