import { CancellationScope, getExternalWorkflowHandle } from '@temporalio/workflow';
import { awaitTaskTurn } from './push-activities.ts';
import { watchSignal } from './task-contract.ts';

/**
 * Hears when something has happened to a task. Each `watch` makes the task tell once, so that a task that does much says little.
 */
export class TaskNews {
  /** Whether the task has been asked to tell, and has not told since: whatever happens from here on is heard of. */
  isWatching = false;
  /** How often there were news. */
  count = 0;
  private readonly taskId: string;
  private asking: Promise<void> | undefined;
  private endAwaited: CancellationScope | undefined;

  constructor(taskId: string) {
    this.taskId = taskId;
  }

  hear(): void {
    this.count += 1;
    this.isWatching = false;
  }

  /** All that ask at the same time ask once. */
  async watch(): Promise<void> {
    this.asking ??= this.ask().finally(() => (this.asking = undefined));
    await this.asking;
  }

  /** Nobody waits for news: the task's end is not looked for until somebody asks again. */
  rest(): void {
    this.endAwaited?.cancel();
    this.endAwaited = undefined;
  }

  private async ask(): Promise<void> {
    this.awaitEnd();
    const before = this.count;
    try {
      await CancellationScope.nonCancellable(() => getExternalWorkflowHandle(this.taskId).signal(watchSignal));
      // It may have told before we heard that it was asked.
      this.isWatching = this.count === before;
    } catch {
      this.hear(); // it has ended: what there is to know is in its history
    }
  }

  /** Whom an operator terminates can tell nobody, and one who was reset has forgotten that it was asked. */
  private awaitEnd(): void {
    if (this.endAwaited !== undefined) return;
    const scope = new CancellationScope();
    this.endAwaited = scope;
    void scope.run(async () => {
      try {
        const turn = await awaitTaskTurn(this.taskId);
        if (turn === 'moved') this.endAwaited = undefined;
        this.hear();
      } catch {
        // Nobody waits any more.
      }
    });
  }
}
