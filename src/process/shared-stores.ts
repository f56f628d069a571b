/** That all gateways and workers have the same folders: each compares the marks of its own with what `setup` has recorded in Temporal. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Configuration } from '../config/configuration.ts';
import type { Logger } from '../observability/logger.ts';
import { checkStoreMarker, writeStoreMarker } from '../storage/store-marker.ts';
import { isTemporalAway } from '../temporal/connection.ts';
import type { StoreIds, StoresPlace } from '../temporal/setup/recorded-stores.ts';
import { readRecordedStores, recordStores } from '../temporal/setup/recorded-stores.ts';

const RETRY_MS = 500;

/** These folders are stores, but not those of the other replicas. */
class ForeignStoresError extends Error {
  override readonly name = 'ForeignStoresError';
}

/** Marks the folders as stores unless they are. @throws with a sentence for an operator */
export async function markStores({
  payloadsDirectory,
  artifactsDirectory,
}: Configuration['storage']): Promise<StoreIds> {
  return {
    payloads: (await writeStoreMarker(payloadsDirectory, 'payloads')).id,
    artifacts: (await writeStoreMarker(artifactsDirectory, 'artifacts')).id,
  };
}

/** The marks of folders that were set up. @throws with a sentence for an operator */
export async function readStoreMarks({
  payloadsDirectory,
  artifactsDirectory,
}: Configuration['storage']): Promise<StoreIds> {
  return {
    payloads: (await checkStoreMarker(payloadsDirectory, { store: 'payloads' })).id,
    artifacts: (await checkStoreMarker(artifactsDirectory, { store: 'artifacts' })).id,
  };
}

/**
 * For `setup` and `up`: the first to come records its stores, and all others must have the same.
 *
 * @returns false when the namespace cannot hold the record, so that nothing is compared
 * @throws {ForeignStoresError} TemporalUnreachableError
 */
export async function claimStores(
  place: StoresPlace,
  ids: StoreIds,
  config: Configuration['storage'],
  { replace = false }: { readonly replace?: boolean } = {},
): Promise<boolean> {
  const before = replace ? undefined : await readRecordedStores(place);
  const recorded = before ?? (await recordStores(place, ids));
  if (recorded === undefined) return false;
  compare(recorded, ids, config, place);
  return true;
}

/**
 * For gateways and workers.
 * @throws {ForeignStoresError} TemporalUnreachableError
 */
export async function proveStores(
  place: StoresPlace,
  ids: StoreIds,
  config: Configuration['storage'],
  logger: Logger,
): Promise<void> {
  const recorded = await readRecordedStores(place);
  if (recorded !== undefined) {
    compare(recorded, ids, config, place);
    return;
  }
  logger.warn(
    { namespace: place.namespace, taskQueue: place.taskQueue, ...config },
    'Temporal has no record of the stores, so nothing shows whether all replicas share these folders; "longhaul setup" makes one',
  );
}

/** As `proveStores`, once Temporal is there. Resolves early, and without proof, when `signal` aborts. */
export async function proveStoresWhenTemporalIsThere(
  place: StoresPlace,
  ids: StoreIds,
  config: Configuration['storage'],
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
): Promise<void> {
  const isOver = (): boolean => signal.aborted;
  while (!isOver()) {
    try {
      await proveStores(place, ids, config, logger);
      return;
    } catch (error) {
      if (isOver()) return;
      if (!isTemporalAway(error)) throw error;
    }
    await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
  }
}

function compare(
  recorded: StoreIds,
  ids: StoreIds,
  { payloadsDirectory, artifactsDirectory }: Configuration['storage'],
  { namespace, taskQueue }: StoresPlace,
): void {
  const others = [
    ...(recorded.payloads === ids.payloads ? [] : [payloadsDirectory]),
    ...(recorded.artifacts === ids.artifacts ? [] : [artifactsDirectory]),
  ];
  if (others.length === 0) return;
  throw new ForeignStoresError(
    `${others.join(' and ')}: not what the other gateways and workers on task queue "${taskQueue}" of namespace ` +
      `"${namespace}" use, so that payloads and artifacts of tasks would be lost. All must share one folder: mount the same one ` +
      'here, or copy the first one with all that it holds.',
  );
}
