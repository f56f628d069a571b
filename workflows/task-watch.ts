import { CancellationScope, getExternalWorkflowHandle } from '@temporalio/workflow';
import { newsSignal, pushDeliveryId } from './push-delivery-contract.ts';

/**
 * Tells the workflow that delivers push notifications that something has happened, once for each time that it has asked: a
 * task of a thousand events must not become one of two thousand.
 */
export class TaskWatch {
  isWatched: boolean;
  private readonly taskId: string;
  private telling: Promise<void> | undefined;

  constructor(taskId: string, isWatched = false) {
    this.taskId = taskId;
    this.isWatched = isWatched;
  }

  watch(): void {
    this.isWatched = true;
  }

  tell(): void {
    if (!this.isWatched) return;
    this.isWatched = false;
    const delivery = getExternalWorkflowHandle(pushDeliveryId(this.taskId));
    // Also when the task is cancelled: that is news.
    this.telling = CancellationScope.nonCancellable(() => delivery.signal(newsSignal)).catch(() => undefined);
  }

  /** Temporal delivers nothing for a run that is over, so who ends waits for this. */
  async told(): Promise<void> {
    await this.telling;
  }
}
