import type { PushPlace, PushRound, PushRoundEnd } from '../src/domain/push-round.ts';
import type { ProgressSignal } from '../src/domain/task-log.ts';
import type { ArtifactStore } from '../src/storage/artifact-store.ts';
import type { KeptValues } from '../src/storage/kept-values.ts';
import type { StepStore } from '../src/storage/step-store.ts';

export interface WorkflowRunRef {
  readonly workflowId: string;
  readonly runId: string;
}

/** As pino writes it. */
export interface ActivityLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface ActivityDependencies {
  /** Signals the workflow; rejects when Temporal has not taken it within a limit of its own. */
  readonly sendProgress: (run: WorkflowRunRef, signal: ProgressSignal) => Promise<void>;
  readonly artifacts: ArtifactStore;
  /** Of the payload store that all gateways and workers share. */
  readonly kept: KeptValues;
  readonly steps: StepStore;
  /** What a publication's root is relative to. */
  readonly configDirectory: string;
  /** The worker's environment; commands get the few harmless variables of it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: ActivityLog;
  /** How long an executor may take to stop, once told to. */
  readonly stopGraceMs?: number;
}

export interface PushDependencies {
  readonly deliverPush: (
    round: PushRound,
    options: { readonly signal: AbortSignal; readonly onProgress: (place: PushPlace) => void },
  ) => Promise<PushRoundEnd>;
  /** The task's run, as long as it goes on. */
  readonly openRun: (taskId: string) => Promise<{ readonly runId: string } | undefined>;
}
