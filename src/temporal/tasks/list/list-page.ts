import type { TaskView } from '../../../domain/task-fold.ts';
import type { ListPosition } from './list-order.ts';
import type { TaskFilter } from './visibility-query.ts';

export interface ListRequest extends TaskFilter {
  /** Tasks at most. */
  readonly limit: number;
  /** Where the page before has ended. */
  readonly after?: ListPosition;
}

export interface TaskPage {
  /** The newest status first. */
  readonly tasks: readonly TaskView[];
  /** Of the whole list. */
  readonly total: number;
  /** Absent when nothing follows. */
  readonly next?: ListPosition;
}
