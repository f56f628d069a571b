import type { Connection } from '@temporalio/client';
import { isGrpcServiceError } from '@temporalio/client';
import { withDeadline } from '../connection.ts';

/** IDs of the folders that the replicas on a task queue share. */
export interface StoreIds {
  readonly payloads: string;
  readonly artifacts: string;
}

export interface StoresPlace {
  readonly connection: Connection;
  readonly namespace: string;
  readonly taskQueue: string;
}

const CALL_TIMEOUT_MS = 5_000;

const GRPC_NOT_FOUND = 5;
const GRPC_PERMISSION_DENIED = 7;
const GRPC_UNIMPLEMENTED = 12;
const GRPC_UNAUTHENTICATED = 16;

/**
 * What `setup` has recorded in the namespace's own data, which every replica can read; undefined: nothing, or nothing that may be
 * read. Each task queue has an entry of its own, as more than one installation may use a namespace.
 *
 * @throws TemporalUnreachableError
 */
export async function readRecordedStores(place: StoresPlace): Promise<StoreIds | undefined> {
  try {
    const { namespaceInfo } = await withDeadline(place.connection, CALL_TIMEOUT_MS, () =>
      place.connection.workflowService.describeNamespace({ namespace: place.namespace }),
    );
    return parseEntry(namespaceInfo?.data?.[keyOf(place)]);
  } catch (error) {
    if (isRefused(error)) return undefined;
    if (isGrpcServiceError(error) && error.code === GRPC_NOT_FOUND) {
      throw new Error(`Temporal has no namespace "${place.namespace}": run "longhaul setup" first.`, { cause: error });
    }
    throw error;
  }
}

/**
 * Records the stores, in place of what is recorded. Processes that record at once all get what has come to stand.
 *
 * @returns undefined when these credentials may not change the namespace, as on Temporal Cloud
 * @throws TemporalUnreachableError
 */
export async function recordStores(place: StoresPlace, ids: StoreIds): Promise<StoreIds | undefined> {
  try {
    await withDeadline(place.connection, CALL_TIMEOUT_MS, () =>
      place.connection.workflowService.updateNamespace({
        namespace: place.namespace,
        updateInfo: { data: { [keyOf(place)]: JSON.stringify(ids) } }, // the server keeps all other entries
      }),
    );
  } catch (error) {
    if (isRefused(error)) return undefined;
    throw error;
  }
  return readRecordedStores(place);
}

function keyOf({ taskQueue }: StoresPlace): string {
  return `longhaul-stores/${taskQueue}`;
}

function parseEntry(entry: string | undefined): StoreIds | undefined {
  try {
    const { payloads, artifacts } = JSON.parse(entry ?? '{}') as Partial<StoreIds>;
    return typeof payloads === 'string' && typeof artifacts === 'string' ? { payloads, artifacts } : undefined;
  } catch {
    return undefined;
  }
}

function isRefused(error: unknown): boolean {
  return (
    isGrpcServiceError(error) && [GRPC_PERMISSION_DENIED, GRPC_UNAUTHENTICATED, GRPC_UNIMPLEMENTED].includes(error.code)
  );
}
