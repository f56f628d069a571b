import protocol from '@temporalio/proto';
import { LRUCache } from 'lru-cache';
import type { TaskView } from '../../domain/task-fold.ts';
import { foldTask } from '../../domain/task-fold.ts';
import type { HistoryFold } from '../history/history-fold.ts';
import { foldHistory } from '../history/history-fold.ts';
import { eventIdOf } from '../history/history-page.ts';
import { toHistoryStep } from '../history/history-step.ts';
import type { TaskDescription } from './task-description.ts';
import type { TaskTemporal } from './task-temporal.ts';
import { callTemporal, namespaceOf } from './task-temporal.ts';

const { HistoryEventFilterType } = protocol.temporal.api.enums.v1;

interface KeptFold {
  readonly fold: HistoryFold;
  /** When Temporal last said that the run that it came from is the task's current one; of this process's clock, milliseconds. */
  currentAt: number;
}

const CACHE_CHARACTERS_MAX = 64_000_000;

/** Tasks that have ended. An operator can reset one, so what is kept holds only for the run that it came from. */
export class ClosedTasks {
  readonly #temporal: TaskTemporal;
  readonly #kept = new LRUCache<string, KeptFold>({
    maxSize: CACHE_CHARACTERS_MAX,
    sizeCalculation: ({ fold }) => JSON.stringify(fold.view).length,
  });

  constructor(temporal: TaskTemporal) {
    this.#temporal = temporal;
  }

  /** Whether a task is known to have ended once. */
  has(taskId: string): boolean {
    return this.#kept.has(taskId);
  }

  /** The task, if no longer ago than this the run that it came from was the current one. */
  current(taskId: string, maxAgeMs: number): HistoryFold | undefined {
    const kept = this.#kept.get(taskId);
    return kept !== undefined && performance.now() - kept.currentAt < maxAgeMs ? kept.fold : undefined;
  }

  /** @param run the task's current one as Temporal itself has just told, which has ended */
  async readCurrent(taskId: string, run: TaskDescription): Promise<HistoryFold> {
    const fold = await this.read(taskId, run);
    const kept = this.#kept.get(taskId);
    if (kept?.fold === fold) kept.currentAt = performance.now();
    return fold;
  }

  /** @param run one that has ended, and was the task's current one when it was listed */
  async read(taskId: string, run: Pick<TaskDescription, 'runId' | 'status'>): Promise<HistoryFold> {
    const kept = this.#kept.get(taskId);
    if (kept?.fold.cursor.runId === run.runId) return kept.fold;
    const result = run.status === 'completed' ? await readResult(this.#temporal, taskId, run.runId) : undefined;
    const fold = result ?? (await foldHistory(this.#temporal, taskId, run.runId));
    if (fold.end === 'closed') this.#kept.set(taskId, { fold, currentAt: -Infinity });
    return fold;
  }
}

/** A workflow that completes returns its view: one event instead of a whole history. */
async function readResult(temporal: TaskTemporal, taskId: string, runId: string): Promise<HistoryFold | undefined> {
  const { history } = await callTemporal(temporal, () =>
    temporal.temporalClient.workflowService.getWorkflowExecutionHistory({
      namespace: namespaceOf(temporal),
      execution: { workflowId: taskId, runId },
      historyEventFilterType: HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT,
    }),
  );
  const event = history?.events?.at(-1);
  const completed = event?.workflowExecutionCompletedEventAttributes;
  if (!event || !completed) return undefined;
  const result = await temporal.payloads.decodeFirst(completed.result?.payloads);
  const step = await toHistoryStep(event, temporal.payloads);
  if (step?.step !== 'closed' || !isViewOf(taskId, result)) return undefined;
  return {
    cursor: { runId, eventId: eventIdOf(event), index: 0 },
    view: foldTask(result, step.entry).view,
    end: 'closed',
    isTerminated: false,
  };
}

function isViewOf(taskId: string, result: unknown): result is TaskView {
  return (result as TaskView | null | undefined)?.task.id === taskId;
}
