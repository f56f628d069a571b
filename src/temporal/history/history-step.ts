import type { CloseKind, LogEntry, LogRecord } from '../../domain/task-log.ts';
import { isMessageSignal, isProgressSignal } from '../../domain/task-log.ts';
import type { TaskInput } from '../../../workflows/task-contract.ts';
import { messageSignal, progressSignal } from '../../../workflows/task-contract.ts';
import type { PayloadDecoder } from '../data-converter.ts';
import type { HistoryEvent } from './history-page.ts';

/** What an event of a task workflow's history is to the task. */
export type HistoryStep =
  | { readonly step: 'started'; readonly input: TaskInput }
  | { readonly step: 'logged'; readonly entries: readonly LogEntry[] }
  | { readonly step: 'continued'; readonly runId: string }
  | { readonly step: 'closed'; readonly entry: Extract<LogEntry, { entry: 'closed' }> };

/** Undefined for the many events that are Temporal's own business. */
export async function toHistoryStep(event: HistoryEvent, payloads: PayloadDecoder): Promise<HistoryStep | undefined> {
  const signaled = event.workflowExecutionSignaledEventAttributes;
  if (signaled) {
    const entry = toSignalEntry(signaled.signalName, await payloads.decodeFirst(signaled.input?.payloads));
    return entry && { step: 'logged', entries: [entry] };
  }
  const log = event.workflowPropertiesModifiedEventAttributes?.upsertedMemo?.fields?.['log'];
  if (log) {
    const records = (await payloads.decodeFirst([log])) as readonly LogRecord[];
    return { step: 'logged', entries: records.map((record) => ({ entry: 'record', record })) };
  }
  const started = event.workflowExecutionStartedEventAttributes;
  if (started) return { step: 'started', input: (await payloads.decodeFirst(started.input?.payloads)) as TaskInput };
  return closingStep(event);
}

/** Anyone at Temporal's UI can send a signal of any shape: as in the workflow, an unsound one counts for nothing. */
function toSignalEntry(name: string | null | undefined, signal: unknown): LogEntry | undefined {
  if (name === progressSignal.name && isProgressSignal(signal)) return { entry: 'progress', signal };
  if (name === messageSignal.name && isMessageSignal(signal)) return { entry: 'message', signal };
  return undefined;
}

function closingStep(event: HistoryEvent): HistoryStep | undefined {
  const nextRunId =
    event.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ??
    // A retry policy would do so; the product sets none, an operator may.
    event.workflowExecutionFailedEventAttributes?.newExecutionRunId ??
    event.workflowExecutionTimedOutEventAttributes?.newExecutionRunId;
  if (nextRunId) return { step: 'continued', runId: nextRunId };
  const kind = closeKind(event);
  return kind && { step: 'closed', entry: { entry: 'closed', kind, at: timeOf(event) } };
}

function closeKind(event: HistoryEvent): CloseKind | undefined {
  if (event.workflowExecutionCompletedEventAttributes) return 'completed';
  if (event.workflowExecutionFailedEventAttributes) return 'failed';
  if (event.workflowExecutionCanceledEventAttributes) return 'canceled';
  if (event.workflowExecutionTerminatedEventAttributes) return 'terminated';
  if (event.workflowExecutionTimedOutEventAttributes) return 'timed-out';
  return undefined;
}

function timeOf({ eventTime }: HistoryEvent): string {
  return new Date((eventTime?.seconds?.toNumber() ?? 0) * 1000 + (eventTime?.nanos ?? 0) / 1e6).toISOString();
}
