import type { temporal as proto } from '@temporalio/proto';
import { Failure } from '../../../domain/failure.ts';
import type { TaskTemporal } from '../task-temporal.ts';
import { callTemporal, namespaceOf } from '../task-temporal.ts';

export type VisibilityRow = proto.api.workflow.v1.IWorkflowExecutionInfo;

const PAGE_SIZE_MAX = 1_000;

/**
 * Rows of Temporal's visibility, in its own order: what runs first, then by close time, the newest first.
 * @throws {Failure} `busy` when the namespace's limit on such requests is reached; `unavailable`
 */
export async function* listRows(
  temporal: TaskTemporal,
  query: string,
  pageSize = PAGE_SIZE_MAX,
): AsyncGenerator<VisibilityRow, void, undefined> {
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await callTemporal(temporal, () =>
      temporal.temporalClient.workflowService.listWorkflowExecutions({
        namespace: namespaceOf(temporal),
        query,
        pageSize: Math.min(pageSize, PAGE_SIZE_MAX),
        ...(nextPageToken && { nextPageToken }),
      }),
    );
    yield* page.executions;
    nextPageToken = page.nextPageToken.length > 0 ? page.nextPageToken : undefined;
  } while (nextPageToken !== undefined);
}

/** @throws {Failure} as `listRows` */
export async function countRows(temporal: TaskTemporal, query: string): Promise<number> {
  const { count } = await callTemporal(temporal, () =>
    temporal.temporalClient.workflowService.countWorkflowExecutions({ namespace: namespaceOf(temporal), query }),
  );
  return count.toNumber();
}

export function tooManyOpen(): Failure {
  return new Failure('busy', 'Too many open tasks to be listed; narrow the list by a context', {
    retryAfterSeconds: 30,
  });
}
