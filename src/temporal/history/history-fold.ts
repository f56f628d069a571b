import type { StreamResponse } from '../../domain/a2a.ts';
import type { Folded, TaskView } from '../../domain/task-fold.ts';
import { foldTask, newTaskView } from '../../domain/task-fold.ts';
import type { LogEntry } from '../../domain/task-log.ts';
import type { TaskInput } from '../../../workflows/task-contract.ts';
import type { PayloadDecoder } from '../data-converter.ts';
import type { HistoryEvent } from './history-page.ts';
import { eventIdOf, readHistory } from './history-page.ts';
import { toHistoryStep } from './history-step.ts';
import type { TaskCursor } from './task-cursor.ts';
import { taskNotFound } from '../tasks/task-description.ts';
import type { TaskTemporal } from '../tasks/task-temporal.ts';

/** A task as the history of one run tells it, up to and with the event of the cursor. */
export interface HistoryFold {
  readonly cursor: TaskCursor;
  readonly view: TaskView;
  /** How the run ended, if it did: for good, or by handing over to the run that is named. */
  readonly end?: 'closed' | { readonly nextRunId: string };
  /** The run was ended by Temporal's terminate, as a reset does too. */
  readonly isTerminated: boolean;
}

export interface FoldedEvent {
  readonly fold: HistoryFold;
  readonly shown: readonly StreamResponse[];
}

/** The task as the first event of a run has it. */
export function startOfHistory(input: TaskInput, runId: string): HistoryFold {
  const view = input.resume?.view ?? newTaskView({ ...input, at: input.submittedAt });
  return { cursor: { runId, eventId: 1, index: 0 }, view, isTerminated: false };
}

/**
 * Adds one event. Events that mean nothing to the task, and events that the fold already holds, give undefined: a
 * history may be read again from its start at any time.
 */
export async function foldEvent(
  before: HistoryFold | undefined,
  runId: string,
  event: HistoryEvent,
  payloads: PayloadDecoder,
): Promise<FoldedEvent | undefined> {
  const eventId = eventIdOf(event);
  if (before !== undefined && (before.end !== undefined || eventId <= before.cursor.eventId)) return undefined;
  const step = await toHistoryStep(event, payloads);
  if (step === undefined) return undefined;
  if (step.step === 'started') {
    return { fold: startOfHistory(step.input, runId), shown: [] };
  }
  // Every history begins with the start.
  if (before === undefined) return undefined;
  if (step.step === 'continued') return { fold: { ...before, end: { nextRunId: step.runId } }, shown: [] };
  const isClosing = step.step === 'closed';
  const { view, shown } = foldEntries(before.view, isClosing ? [step.entry] : step.entries);
  return {
    fold: {
      ...before,
      view,
      cursor: { runId, eventId, index: Math.max(0, shown.length - 1) },
      ...(isClosing && { end: 'closed', isTerminated: step.entry.kind === 'terminated' }),
    },
    shown,
  };
}

/** Folds the whole history of a task from the given run on, over continue-as-new. */
export async function foldHistory(temporal: TaskTemporal, taskId: string, runId: string): Promise<HistoryFold> {
  let fold: HistoryFold | undefined;
  for await (const event of readHistory(temporal, taskId, runId)) {
    fold = (await foldEvent(fold, runId, event, temporal.payloads))?.fold ?? fold;
  }
  if (fold === undefined) throw taskNotFound();
  return typeof fold.end === 'object' ? foldHistory(temporal, taskId, fold.end.nextRunId) : fold;
}

function foldEntries(view: TaskView, entries: readonly LogEntry[]): Folded {
  const shown: StreamResponse[] = [];
  let next = view;
  for (const entry of entries) {
    const folded = foldTask(next, entry);
    next = folded.view;
    shown.push(...folded.shown);
  }
  return { view: next, shown };
}
