/**
 * Where a stream of a task stands: an event of a run's history, and which of the things that the event shows.
 * It is the `id:` of a server-sent event and comes back as `Last-Event-ID`, from anyone.
 */
export interface TaskCursor {
  readonly runId: string;
  /** Of a signal, a memo upsert or the close; 1 stands for the start. IDs of workflow task events are used more than once. */
  readonly eventId: number;
  /** From 0; 0 also where the event shows nothing. */
  readonly index: number;
}

const CURSOR = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([1-9]\d{0,9})\.(0|[1-9]\d{0,5})$/;

export function formatCursor({ runId, eventId, index }: TaskCursor): string {
  return `${runId}.${eventId}.${index}`;
}

/** Undefined for whatever has not the form of a cursor; whether the history knows it is another question. */
export function parseCursor(text: string): TaskCursor | undefined {
  const [, runId, eventId, index] = CURSOR.exec(text) ?? [];
  if (runId === undefined) return undefined;
  return { runId, eventId: Number(eventId), index: Number(index) };
}
