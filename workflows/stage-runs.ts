import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import type { KeptEnvelope } from '../src/domain/envelope.ts';
import { elementEnvelopes, elementOf, type PipelineRun, type RunRef, upstreamOf } from '../src/domain/pipeline-run.ts';
import { own } from '../src/domain/own.ts';
import type { Stage } from '../src/domain/pipeline.ts';
import type { LaidOut, StageOutcome, TaskFacts } from '../src/domain/stage-run.ts';
import { inputFormOf } from '../src/domain/task-input.ts';
import { joinElements, layOutElements } from './element-activities.ts';
import { runStageActivity } from './stage-activity.ts';
import { stageError } from './stage-error.ts';
import type { TaskInput } from './task-contract.ts';

/** Something that was done for a stage has come to its end. */
export type Ended = { readonly stage: Stage } & (
  | { readonly did: 'run'; readonly ref: RunRef; readonly workedMs: number; readonly outcome: StageOutcome }
  | { readonly did: 'lay-out'; readonly laidOut: LaidOut }
  | { readonly did: 'join'; readonly envelope: KeptEnvelope }
);

type Result = Ended | { readonly stage: Stage; readonly error: unknown };

/** What is under way for the stages: started one by one, cancelled together, with the task or when one has failed for good. */
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
      inputForm: inputFormOf(publication),
    };
  }

  get isIdle(): boolean {
    return this.active === 0;
  }

  get hasEnded(): boolean {
    return this.results.length > 0;
  }

  /** @param shownBytes what the task shows from earlier turns, for a stage that shows what it makes */
  run(
    stage: Stage,
    ref: RunRef,
    run: PipelineRun,
    { sideBySide, shownBytes }: { sideBySide: number; shownBytes: Readonly<Record<string, number>> },
  ): void {
    const { publication, limits } = this.input;
    const { item, itemAt, turn, answers, followUps, workedMs } = elementOf(run, ref);
    const activity = {
      run: {
        stage,
        ...ref,
        ...(item !== undefined && { item }),
        ...(itemAt !== undefined && { itemAt }),
        turn,
        answers,
        followUps,
        sideBySide,
        isShown: publication.plain,
        // The envelopes of elements are joined before they are a result.
        isResult: this.isResult(stage) && stage.forEach === undefined,
        shownBytes,
      },
      facts: this.facts,
      upstream: upstreamOf(publication.pipeline, run, stage),
      timeLeftMs: stage.timeoutMs === undefined ? undefined : Math.max(1, stage.timeoutMs - workedMs),
      heartbeatTimeoutMs: limits.heartbeatTimeoutMs,
      graceMs: limits.cancelGraceMs,
      summary: ref.element === undefined ? stage.id : `${stage.id} ${ref.element + 1}`,
    };
    this.track(stage, async () => ({ stage, did: 'run', ref, ...(await runStageActivity(activity)) }));
  }

  layOut(stage: Stage, source: KeptEnvelope): void {
    const { heartbeatTimeoutMs } = this.input.limits;
    const { forEach = '' } = stage;
    this.track(stage, async () => {
      const laidOut = await layOutElements({ stage, source, pointer: forEach, heartbeatTimeoutMs });
      return { stage, did: 'lay-out', laidOut };
    });
  }

  join(stage: Stage, run: PipelineRun): void {
    const { taskId, limits } = this.input;
    const progress = own(run.stages, stage.id);
    const envelopes = progress === undefined ? [] : elementEnvelopes(progress);
    const join = { taskId, envelopes, isResult: this.isResult(stage) };
    const { heartbeatTimeoutMs } = limits;
    this.track(stage, async () => {
      return { stage, did: 'join', envelope: await joinElements({ stage, join, heartbeatTimeoutMs }) };
    });
  }

  private isResult(stage: Stage): boolean {
    return stage.id === this.input.publication.results.stage;
  }

  private track(stage: Stage, work: () => Promise<Ended>): void {
    const end = (result: Result): void => {
      this.active -= 1;
      this.results.push(result);
    };
    this.active += 1;
    void this.scope.run(work).then(end, (error: unknown) => end({ stage, error }));
  }

  /**
   * What has ended since the last call.
   * @throws {TaskFailedError} when one has failed for good
   */
  take(): readonly Ended[] {
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
