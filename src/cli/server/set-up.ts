import type { Configuration } from '../../config/configuration.ts';
import { claimStores, markStores } from '../../process/shared-stores.ts';
import { connectTemporal } from '../../temporal/connection.ts';
import { setUpNamespace } from '../../temporal/setup/set-up-namespace.ts';

export interface SetUpOptions {
  /** These folders take the place of other ones that were recorded, and that nobody has any more. */
  readonly replaceStores?: boolean;
}

/**
 * All that gateways and workers need to find: namespace, search attributes, folders that are marked as stores, and a record in the
 * namespace of which these are.
 *
 * @returns `areStoresRecorded`: false when the namespace may not be changed, as on Temporal Cloud
 */
export async function setUp(
  { storage, temporal: { namespace, taskQueue } }: Configuration,
  temporalAddress: string,
  { replaceStores = false }: SetUpOptions = {},
): Promise<{ readonly areStoresRecorded: boolean }> {
  const ids = await markStores(storage);
  const connection = await connectTemporal({ address: temporalAddress });
  try {
    await setUpNamespace(connection, { namespace });
    const place = { connection, namespace, taskQueue };
    return { areStoresRecorded: await claimStores(place, ids, storage, { replace: replaceStores }) };
  } finally {
    await connection.close();
  }
}
