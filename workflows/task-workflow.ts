import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  ContinueAsNew,
  isCancellation,
  log,
  makeContinueAsNewFunc,
  setHandler,
  setWorkflowOptions,
  workflowInfo,
} from '@temporalio/workflow';
import { TaskFailedError } from '../src/domain/stage-failure.ts';
import type { TaskView } from '../src/domain/task-fold.ts';
import { isMessageSignal, isProgressSignal } from '../src/domain/task-log.ts';
import { statusWithText } from '../src/domain/task-status.ts';
import { PipelineWalk } from './pipeline-walk.ts';
import {
  getTaskQuery,
  messageSignal,
  progressSignal,
  type TaskInput,
  type TaskMemo,
  watchSignal,
} from './task-contract.ts';
import { TaskRecorder } from './task-recorder.ts';
import { TaskWatch } from './task-watch.ts';

/** An A2A task, from its first message to its last state: walks the publication's pipeline and answers for it. */
export async function taskWorkflow(input: TaskInput): Promise<TaskView> {
  const watch = new TaskWatch(input.taskId, input.resume?.isWatched);
  const task = new TaskRecorder(input, { onWritten: () => watch.tell() });
  const walk = new PipelineWalk(input, task);

  setHandler(getTaskQuery, () => task.view, { description: 'The A2A task as it is' });
  setHandler(
    messageSignal,
    (signal) => {
      walk.hasBeenSignalled();
      if (isMessageSignal(signal)) task.fold({ entry: 'message', signal });
    },
    { description: 'An answer, or a follow-up' },
  );
  setHandler(
    progressSignal,
    (signal) => {
      walk.hasBeenSignalled();
      if (!isProgressSignal(signal)) return;
      task.fold({ entry: 'progress', signal });
      watch.tell();
    },
    { description: 'What a running stage shows' },
  );
  setHandler(
    watchSignal,
    () => {
      walk.hasBeenSignalled();
      watch.watch();
    },
    { description: 'Push notifications wait for what happens next' },
  );
  // Signals that came with the start are folded by now; what is recorded from here on stands behind them in history, too.
  await Promise.resolve();

  try {
    while (!(await walk.advance())) {
      if (walk.mustContinueAsNew()) await continueAsNew(input, { task, walk, watch });
    }
    await watch.told();
    return task.view;
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    return CancellationScope.nonCancellable(() => endUnfinished(error, { task, walk, watch }));
  }
}

// A slip outside of the main line's `try` must end the task as failed, too, not leave it in retry for ever.
setWorkflowOptions({ failureExceptionTypes: [TypeError, RangeError, ReferenceError] }, taskWorkflow);

interface Running {
  readonly task: TaskRecorder;
  readonly walk: PipelineWalk;
  readonly watch: TaskWatch;
}

async function continueAsNew(input: TaskInput, { task, walk, watch }: Running): Promise<never> {
  await condition(allHandlersFinished);
  await watch.told();
  const { start } = workflowInfo().memo as unknown as Pick<TaskMemo, 'start'>;
  const next = makeContinueAsNewFunc<typeof taskWorkflow>({ memo: { start, ...task.memo() } });
  return next({ ...input, resume: { view: task.view, run: walk.run, isWatched: watch.isWatched } });
}

/** Cancelled, failed, or broken: stops what runs, says the last word, and closes as what it is. */
async function endUnfinished(error: unknown, { task, walk, watch }: Running): Promise<never> {
  await walk.stop();
  if (isCancellation(error)) {
    walk.end(statusWithText(task.place(), 'TASK_STATE_CANCELED'));
    await watch.told();
    throw error;
  }
  const failed =
    error instanceof TaskFailedError
      ? error
      : new TaskFailedError({ reason: 'internal', text: 'Internal error', detail: String(error) });
  if (failed !== error) log.error('The task workflow is broken', { error });
  const { reason, text, detail } = failed.failure;
  walk.end(statusWithText(task.place(), failed.state, text, { reason }));
  await watch.told();
  throw ApplicationFailure.create({
    message: detail.toWellFormed(), // half of a surrogate pair has no UTF-8 form, and would end the worker
    type: failed.state === 'TASK_STATE_REJECTED' ? 'TaskRejected' : 'TaskFailed',
    nonRetryable: true,
    ...(failed !== error && error instanceof Error && { cause: error }),
  });
}
