import type { TaskFilter } from './visibility-query.ts';

/** Where a task stands in a list. */
export interface ListPosition {
  /** Of its status, milliseconds since 1970. */
  readonly at: number;
  readonly taskId: string;
}

/** The newest status first; of the same millisecond by ID. */
export function byStatusTime(a: ListPosition, b: ListPosition): number {
  if (a.at !== b.at) return b.at - a.at;
  return a.taskId < b.taskId ? -1 : a.taskId > b.taskId ? 1 : 0;
}

export function fitsFilter(
  { state, since }: TaskFilter,
  task: { readonly state: string; readonly at: number },
): boolean {
  return (state === undefined || task.state === state) && (since === undefined || task.at >= since);
}
