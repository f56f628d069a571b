import type { Client } from '@temporalio/client';
import type { TaskView } from '../../src/domain/task-fold.ts';
import { createPayloadDecoder } from '../../src/temporal/data-converter.ts';
import type { HistoryFold } from '../../src/temporal/history/history-fold.ts';
import { foldEvent } from '../../src/temporal/history/history-fold.ts';
import type { HistoryEvent } from '../../src/temporal/history/history-page.ts';

/** A task as its histories tell it, over all runs of its workflow. */
export interface FoldedHistory {
  readonly view: TaskView;
  /** As it stood after each completed workflow task: what a query may have answered meanwhile. */
  readonly stands: readonly TaskView[];
  /** Of each run but the first: what the run before handed over. */
  readonly resumed: readonly { readonly handedOver: TaskView; readonly folded: TaskView }[];
  readonly runs: number;
  readonly events: readonly HistoryEvent[];
}

const payloads = createPayloadDecoder({});

/** Folds what the server holds, event by event, as the gateway does. */
export async function foldTaskHistory(client: Client, taskId: string, firstRunId: string): Promise<FoldedHistory> {
  const stands: TaskView[] = [];
  const resumed: { handedOver: TaskView; folded: TaskView }[] = [];
  const all: HistoryEvent[] = [];
  let before: HistoryFold | undefined;
  for (let runId: string | undefined = firstRunId, runs = 1; ; runs += 1) {
    const { events } = await client.workflow.getHandle(taskId, runId).fetchHistory();
    let fold: HistoryFold | undefined;
    for (const [index, event] of (events ?? []).entries()) {
      const folded = await foldEvent(fold, runId, event, payloads);
      fold = folded?.fold ?? fold;
      if (index === 0 && before !== undefined && fold !== undefined) {
        resumed.push({ handedOver: fold.view, folded: before.view });
      }
      if (fold !== undefined && isBoundary(events ?? [], index)) stands.push(fold.view);
      all.push(event);
    }
    if (fold === undefined) throw new Error(`Run ${runId} of ${taskId} has no start`);
    if (typeof fold.end !== 'object') return { view: fold.view, stands, resumed, runs, events: all };
    before = fold;
    runId = fold.end.nextRunId;
  }
}

/** The last of the events that a completed workflow task has written. */
function isBoundary(events: readonly HistoryEvent[], index: number): boolean {
  const next = events[index + 1];
  return isWrittenByTask(events[index]) && (next === undefined || !isCommandEvent(next));
}

function isWrittenByTask(event: HistoryEvent | undefined): boolean {
  return event?.workflowTaskCompletedEventAttributes != null || (event !== undefined && isCommandEvent(event));
}

function isCommandEvent(event: HistoryEvent): boolean {
  return Object.entries(event).some(
    ([name, attributes]: [string, { workflowTaskCompletedEventId?: unknown } | null]) =>
      name.endsWith('EventAttributes') && attributes?.workflowTaskCompletedEventId != null,
  );
}
