import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import { elementOf, type PipelineRun, type RunRef, upstreamOf } from '../src/domain/pipeline-run.ts';
import type { Stage } from '../src/domain/pipeline.ts';
import type { StageOutcome, TaskFacts } from '../src/domain/stage-run.ts';
import { runStageActivity } from './stage-activity.ts';
import { stageError } from './stage-error.ts';
import type { TaskInput } from './task-contract.ts';

/** A stage run that has come to its end. */
export interface EndedRun {
  readonly stage: Stage;
  readonly ref: RunRef;
  readonly workedMs: number;
  readonly outcome: StageOutcome;
}

type Result = EndedRun | (Pick<EndedRun, 'stage' | 'ref'> & { readonly error: unknown });

/** The stage runs under way: started one by one, cancelled together, with the task or when one has failed for good. */
export class StageRuns {
  private readonly input: TaskInput;
  private readonly facts: TaskFacts;
  private readonly scope = new CancellationScope();
  private results: Result[] = [];
  private active = 0;

  constructor(input: TaskInput) {
    const { taskId, contextId, caller, publication, message } = input;
    this.input = input;
    this.facts = {
      taskId,
      contextId,
      caller,
      publicationId: publication.id,
      root: publication.root,
      ...(publication.goal !== undefined && { goal: publication.goal }),
      message,
      input: input.input,
    };
  }

  get isIdle(): boolean {
    return this.active === 0;
  }

  get hasEnded(): boolean {
    return this.results.length > 0;
  }

  start(stage: Stage, ref: RunRef, run: PipelineRun, sideBySide: number): void {
    const { publication, limits } = this.input;
    const { item, turn, answers, followUps, workedMs } = elementOf(run, ref);
    const end = (result: Result): void => {
      this.active -= 1;
      this.results.push(result);
    };
    const activity = {
      run: {
        stage,
        ...ref,
        ...(item !== undefined && { item }),
        turn,
        answers,
        followUps,
        sideBySide,
        isShown: publication.plain,
      },
      facts: this.facts,
      upstream: upstreamOf(publication.pipeline, run, stage),
      timeLeftMs: stage.timeoutMs === undefined ? undefined : Math.max(1, stage.timeoutMs - workedMs),
      heartbeatTimeoutMs: limits.heartbeatTimeoutMs,
      graceMs: limits.cancelGraceMs,
      summary: ref.element === undefined ? stage.id : `${stage.id} ${ref.element + 1}`,
    };
    this.active += 1;
    void this.scope
      .run(() => runStageActivity(activity))
      .then(
        (result) => end({ stage, ref, ...result }),
        (error: unknown) => end({ stage, ref, error }),
      );
  }

  /**
   * What has ended since the last call.
   * @throws {TaskFailedError} when one has failed for good
   */
  take(): readonly EndedRun[] {
    const results = this.results;
    this.results = [];
    return results.flatMap((result) => {
      if (!('error' in result)) return [result];
      if (isCancellation(result.error) && this.scope.consideredCancelled) return [];
      throw stageError(result.error, result.stage);
    });
  }

  /** Tells all to stop, and waits for that within the grace. */
  async stop(): Promise<void> {
    this.scope.cancel();
    await condition(() => this.isIdle, this.input.limits.cancelGraceMs);
  }
}
