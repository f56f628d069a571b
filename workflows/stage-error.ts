import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import { formatDuration } from '../src/domain/duration.ts';
import type { Stage } from '../src/domain/pipeline.ts';
import { TaskFailedError } from '../src/domain/stage-failure.ts';
import { STAGE_FAILURE, type StageFailureDetail } from '../src/domain/stage-run.ts';
import { DeadlineError } from './stage-activity.ts';

/** What a stage's failure for good means for the task. Anything that is not the stage's own failure is a bug. */
export function stageError(error: unknown, stage: Stage): unknown {
  const name = `Stage ${stage.id}`;
  if (error instanceof DeadlineError) {
    const text = `${name} took longer than ${formatDuration(stage.timeoutMs ?? 0)}`;
    return new TaskFailedError({ reason: 'deadline-exceeded', text, detail: text });
  }
  if (!(error instanceof ActivityFailure)) return error;
  const { cause } = error;
  if (cause instanceof ApplicationFailure && cause.type === STAGE_FAILURE) {
    const detail = cause.details?.[0] as StageFailureDetail | undefined;
    return new TaskFailedError({
      reason: detail?.reason ?? 'executor-failed',
      text: detail?.publicMessage ?? `${name} failed`,
      detail: `${name}: ${cause.message}`,
    });
  }
  const reason = cause instanceof TimeoutFailure ? 'worker-lost' : 'executor-failed';
  return new TaskFailedError({ reason, text: `${name} failed`, detail: `${name}: ${cause?.message ?? error.message}` });
}
