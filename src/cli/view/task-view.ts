import type { StreamResponse } from '../../domain/a2a.ts';
import type { TaskProgress } from './task-progress.ts';

/** How a task's stream looks to whoever watches. */
export interface TaskView {
  /** `progress` is where the task stands after `event`. */
  show(event: StreamResponse, progress: TaskProgress): void;
  /** Something beside the task itself, such as a connection that was cut. */
  note(text: string): void;
  /** Leaves on the screen what should stay there. */
  close(): void;
}
