import type { Client } from '@temporalio/client';
import type { temporal as proto } from '@temporalio/proto';

/** Follows a history by long polls until `isLast` says so. */
export async function followHistory(
  { workflowService, options }: Client,
  workflowId: string,
  isLast: (event: proto.api.history.v1.IHistoryEvent) => boolean,
): Promise<void> {
  let nextPageToken: Uint8Array = new Uint8Array();
  for (;;) {
    const page = await workflowService.getWorkflowExecutionHistory({
      namespace: options.namespace,
      execution: { workflowId },
      waitNewEvent: true,
      nextPageToken,
    });
    for (const event of page.history?.events ?? []) if (isLast(event)) return;
    nextPageToken = page.nextPageToken;
    if (nextPageToken.length === 0) throw new Error(`${workflowId} ended before what was waited for`);
  }
}
