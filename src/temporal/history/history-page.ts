import type { temporal as proto } from '@temporalio/proto';
import type { TaskTemporal } from '../tasks/task-temporal.ts';
import { callTemporal, namespaceOf } from '../tasks/task-temporal.ts';

export type HistoryEvent = proto.api.history.v1.IHistoryEvent;

export interface HistoryPage {
  readonly events: readonly HistoryEvent[];
  /** Continues behind this page; absent at the end of a history that does not grow, or was not waited for. */
  readonly nextPageToken?: Uint8Array;
}

export interface HistoryPageRequest {
  readonly taskId: string;
  readonly runId: string;
  /** Absent: from the first event. */
  readonly nextPageToken?: Uint8Array;
  /** At the end of the history wait for the next event, for 20 s at the longest; then the page is empty and has a token. */
  readonly wait?: boolean;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** @throws {Failure} `task-not-found` (also for an unknown run), `unavailable` (also when aborted) */
export async function readHistoryPage(temporal: TaskTemporal, request: HistoryPageRequest): Promise<HistoryPage> {
  const { taskId, runId, nextPageToken, wait = false, timeoutMs, signal } = request;
  const read = (): ReturnType<typeof service.getWorkflowExecutionHistory> =>
    service.getWorkflowExecutionHistory({
      namespace: namespaceOf(temporal),
      execution: { workflowId: taskId, runId },
      waitNewEvent: wait,
      ...(nextPageToken && { nextPageToken }),
    });
  const service = temporal.temporalClient.workflowService;
  const response = await callTemporal(
    temporal,
    signal ? () => temporal.connection.withAbortSignal(signal, read) : read,
    timeoutMs,
  );
  const token = response.nextPageToken;
  return {
    events: response.history?.events ?? [],
    ...(token.length > 0 && { nextPageToken: token }),
  };
}

/** All events of a run that are there, page by page. */
export async function* readHistory(
  temporal: TaskTemporal,
  taskId: string,
  runId: string,
): AsyncGenerator<HistoryEvent> {
  let nextPageToken: Uint8Array | undefined;
  do {
    const page: HistoryPage = await readHistoryPage(temporal, {
      taskId,
      runId,
      ...(nextPageToken && { nextPageToken }),
    });
    yield* page.events;
    nextPageToken = page.nextPageToken;
  } while (nextPageToken !== undefined);
}

export function eventIdOf(event: HistoryEvent): number {
  return event.eventId?.toNumber() ?? 0;
}
