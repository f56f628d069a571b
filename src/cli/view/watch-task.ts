import type { Task } from '../../domain/a2a.ts';
import { textOf } from '../../domain/a2a.ts';
import type { Target } from '../client/target.ts';
import { followTask } from '../client/follow-task.ts';
import { commandName } from '../command-name.ts';
import type { ExitCode } from '../exit-codes.ts';
import { EXIT } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { describeTask, exitCodeOf } from './describe-task.ts';
import { createLiveView } from './live-view.ts';
import { createPlainView } from './plain-view.ts';
import type { TaskProgress } from './task-progress.ts';
import { foldStream, isWaiting, newTaskProgress } from './task-progress.ts';
import type { TaskView } from './task-view.ts';
import { safe } from './words.ts';

export interface WatchOptions {
  /** Stop with exit code 3 when the task asks its caller; otherwise stay until it ends. */
  readonly untilAsked: boolean;
  /** Say nothing until the end. */
  readonly isQuiet?: boolean;
  /** Asked after each event whether something is to be done now; the view steps aside while it is. */
  readonly onProgress?: (progress: TaskProgress) => (() => Promise<void>) | undefined;
  /** Leave out what the task is in the end: the caller shows it. */
  readonly withoutEnd?: boolean;
}

/**
 * Shows a task as it goes on, until it ends, asks, or the user has seen enough (Ctrl-C: the task goes on).
 * With --json each stream event is one line.
 */
export async function watchTask(
  taskId: string,
  target: Target,
  output: Output,
  options: WatchOptions,
): Promise<ExitCode> {
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once('SIGINT', interrupt);
  const startedAt = Date.now();
  const createView = (): TaskView => {
    if (options.isQuiet === true || output.isJson) return silentView;
    const showsQuestion = !options.untilAsked && options.withoutEnd !== true;
    return output.isLive ? createLiveView(output, { startedAt, showsQuestion }) : createPlainView(output);
  };
  let view = createView();
  let progress = newTaskProgress(taskId);
  try {
    const items = followTask({
      url: target.url,
      taskId,
      fetchImpl: target.fetchImpl,
      getTask: (id) => target.a2a.getTask(id),
      signal: interrupted.signal,
    });
    for await (const item of items) {
      if ('event' in item) {
        progress = foldStream(progress, item.event);
        if (options.isQuiet !== true) output.json(item.event);
        view.show(item.event, progress);
        const work = options.onProgress?.(progress);
        if (work !== undefined) {
          view.close();
          await work();
          view = createView();
        }
        if (options.untilAsked && isWaiting(progress.state)) break;
      } else {
        view.note('cut' in item ? item.cut : 'Connected again; nothing was missed');
      }
    }
  } finally {
    process.removeListener('SIGINT', interrupt);
    view.close();
  }

  if (interrupted.signal.aborted) {
    output.note(`The task goes on. See it again:  ${commandName()} watch ${taskId}`);
    return EXIT.interrupted;
  }
  if (progress.reply !== undefined) {
    output.say(safe(textOf(progress.reply)));
    return EXIT.ok;
  }
  if (options.withoutEnd === true) return exitCodeOf({ status: { state: progress.state, timestamp: '' } });
  return showEnd(progress, target, output, options);
}

/** The stream is folded for the eye; what is printed and returned at the end is the task itself. */
async function showEnd(
  progress: TaskProgress,
  target: Target,
  output: Output,
  options: WatchOptions,
): Promise<ExitCode> {
  const task = await target.a2a.getTask(progress.taskId);
  if (options.isQuiet === true) output.json(withoutHistory(task));
  if (options.isQuiet !== true) output.say();
  describeTask(task, output);
  return exitCodeOf(task);
}

function withoutHistory({ history: _history, ...task }: Task): Omit<Task, 'history'> {
  return task;
}

const silentView: TaskView = { show: () => undefined, note: () => undefined, close: () => undefined };
