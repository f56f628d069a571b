import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { StageOutcome, RunStage, StageRun, TaskFacts } from '../src/domain/stage-run.ts';
import type { StageRunRef } from '../src/domain/task-log.ts';
import { AskSignal } from './ask.ts';
import { countFailure } from './count-failure.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { ExecutorRun } from './executor-context.ts';
import { createExecutor } from './executors/index.ts';
import { startHeartbeat } from './heartbeat.ts';
import { isFinalRefusal } from './is-final-refusal.ts';
import type { ProgressBudget } from './progress-budget.ts';
import { createProgressBudgets } from './progress-budget.ts';
import { ProgressPump } from './progress-pump.ts';
import { realClock } from './real-clock.ts';
import { loadStageInput, type StageInput } from './stage-input.ts';
import { StageMemory } from './stage-memory.ts';
import type { StagePlace } from './stage-keys.ts';
import { toApplicationFailure, viewFailure } from './to-application-failure.ts';
import type { StageFailureView } from './to-application-failure.ts';
import { toOutcome } from './to-outcome.ts';

const STOP_GRACE_MS = 8_000;
/** A worker that shuts down hands its work over at once; zero would mean the retry policy's own interval. */
const HANDOVER_DELAY_MS = 100;

/** The activity that runs one stage: executor of any kind, heartbeats, cancel, questions, progress, retries. */
export function createRunStage(dependencies: ActivityDependencies): RunStage {
  const budgetOf = createProgressBudgets();

  return async function runStage(run, facts, upstream) {
    const activity = Context.current();
    using _heartbeat = startHeartbeat(activity, nameOf(run));
    const place = placeOf(run, facts);
    const memory = new StageMemory(dependencies.steps, place);
    const { attempt, activityId, workflowExecution } = activity.info;
    const runId = workflowExecution?.runId ?? '';

    // Ends everything that the run has begun, however it ends; a cancel is one of the ways.
    const over = new AbortController();
    const signal = AbortSignal.any([activity.cancellationSignal, over.signal]);
    const pump = createPump(dependencies, activity, run, budgetOf(runId));
    const given = await loadOrFail(dependencies, run, facts, upstream);
    const executorRun = new ExecutorRun({
      run,
      facts,
      given,
      upstream,
      place,
      attempt,
      configDirectory: dependencies.configDirectory,
      artifactStore: dependencies.artifacts,
      memory,
      show: (item) => pump.add(item),
      signal,
    });

    try {
      const outcome = await untilStopped(
        activity.cancellationSignal,
        dependencies,
        execute(dependencies, run, facts, executorRun),
      );
      await pump.flush();
      return outcome;
    } catch (error) {
      throwIfCancelled(activity.cancellationSignal);
      await pump.flush();
      throwIfCancelled(activity.cancellationSignal);
      const failure = viewFailure(error);
      dependencies.log.warn({ ...place, attempt, reason: failure.detail.reason, err: failure.error }, 'A stage failed');
      throw toApplicationFailure(failure, await mayRetry(failure, run, memory, `${runId}/${activityId}`, attempt));
    } finally {
      executorRun.streams.abandon();
      over.abort(new Error('The stage has ended'));
    }
  };
}

async function loadOrFail({ kept }: ActivityDependencies, ...stage: Parameters<RunStage>): Promise<StageInput> {
  try {
    return await loadStageInput(kept, ...stage);
  } catch (error) {
    const failure = viewFailure(error);
    throw toApplicationFailure(failure, failure.retryable);
  }
}

/** Whether the stage's `retries` leave another try. What is not the executor's fault uses up none. */
async function mayRetry(
  failure: StageFailureView,
  { stage }: StageRun,
  memory: StageMemory,
  activityKey: string,
  attempt: number,
): Promise<boolean> {
  if (!failure.retryable || !failure.isExecutors) return failure.retryable;
  try {
    return (await countFailure(memory, activityKey, attempt)) <= stage.retries;
  } catch {
    return true; // not counted, as the store is away: Temporal's own attempts are the bound
  }
}

async function execute(
  { configDirectory, environment, kept, log, stopGraceMs = STOP_GRACE_MS }: ActivityDependencies,
  run: StageRun,
  facts: TaskFacts,
  executorRun: ExecutorRun,
): Promise<StageOutcome> {
  const executor = await createExecutor(run.stage.executor, {
    configDirectory,
    environment,
    log,
    facts,
    run,
    stopGraceMs,
  });
  const work = (async () => executor(executorRun.context))();
  // An executor that catches what `ask` throws, and goes on for ever, ends all the same.
  const outlived = executorRun.asked.then(() => sleep(stopGraceMs, undefined, { ref: false }));
  const settled = await Promise.race([
    work.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    ),
    outlived.then(() => ({ value: undefined })),
  ]);
  await executorRun.settle();
  const { end } = executorRun;
  if (end instanceof AskSignal) return { outcome: 'ask', ask: end.ask };
  if (end !== undefined) throw end;
  if ('error' in settled) throw settled.error;
  return toOutcome(settled.value, run, executorRun, kept);
}

/** The work's own result, unless a cancel came first: then it has its grace to stop, and its result counts no more. */
async function untilStopped<Result>(
  cancelled: AbortSignal,
  { log, stopGraceMs = STOP_GRACE_MS }: ActivityDependencies,
  work: Promise<Result>,
): Promise<Result> {
  const stopped = new Promise<never>((_resolve, reject) => {
    const onCancel = async () => {
      const settled = work.then(
        () => true,
        () => true,
      );
      const isStopped = await Promise.race([settled, sleep(stopGraceMs, false, { ref: false })]);
      if (!isStopped) log.warn({ stopGraceMs }, 'An executor did not stop when told to; it is left behind');
      reject(toCancellation(cancelled));
    };
    if (cancelled.aborted) void onCancel();
    else cancelled.addEventListener('abort', () => void onCancel(), { once: true });
  });
  const result = await Promise.race([
    work.catch((error: unknown) => (cancelled.aborted ? stopped : Promise.reject(error as Error))),
    stopped,
  ]);
  return cancelled.aborted ? stopped : result;
}

function throwIfCancelled(cancelled: AbortSignal): void {
  if (cancelled.aborted) throw toCancellation(cancelled);
}

/**
 * A worker that shuts down is no cancel: the stage is to run again elsewhere, soon. All else (a cancel, a timeout, a pause or
 * a reset by an operator) is the SDK's to report.
 */
function toCancellation(cancelled: AbortSignal): Error {
  const reason: unknown = cancelled.reason;
  if (!(reason instanceof Error)) return new Error('The activity was cancelled');
  if (reason.message !== 'WORKER_SHUTDOWN') return reason;
  return ApplicationFailure.create({
    message: 'The worker is shutting down; the stage runs again elsewhere',
    type: 'WorkerShutdown',
    nextRetryDelay: HANDOVER_DELAY_MS,
    category: 'BENIGN',
  });
}

function createPump(
  { sendProgress, log }: ActivityDependencies,
  { info, cancellationSignal }: Context,
  run: StageRun,
  budget: ProgressBudget,
): ProgressPump {
  const workflowRun = info.workflowExecution;
  if (workflowRun === undefined) throw new Error('A stage runs for a workflow');
  const ref: StageRunRef = {
    stageId: run.stage.id,
    ...(run.element !== undefined && { element: run.element }),
    turn: run.turn,
    attempt: info.attempt,
    scheduledMs: info.currentAttemptScheduledTimestampMs,
  };
  return new ProgressPump({
    run: ref,
    send: (signal) => sendProgress(workflowRun, signal),
    isFinal: isFinalRefusal,
    onDropped: (err) => log.warn({ ...workflowRun, ...ref, err }, 'Temporal refused a progress signal'),
    budget,
    sideBySide: run.sideBySide,
    clock: realClock,
    abortSignal: cancellationSignal,
  });
}

/** As the workflow calls it in its timeline. */
function nameOf({ stage, element }: StageRun): string {
  return element === undefined ? stage.id : `${stage.id} ${element + 1}`;
}

function placeOf(run: StageRun, facts: TaskFacts): StagePlace {
  return {
    taskId: facts.taskId,
    stageId: run.stage.id,
    ...(run.element !== undefined && { element: run.element }),
  };
}
