import type { Configuration } from '../../config/configuration.ts';
import { writeStoreMarker } from '../../storage/store-marker.ts';
import { connectTemporal } from '../../temporal/connection.ts';
import { setUpNamespace } from '../../temporal/setup/set-up-namespace.ts';

/** All that gateways and workers need to find: namespace, search attributes, and folders that are marked as stores. */
export async function setUp(config: Configuration, temporalAddress: string): Promise<void> {
  await writeStoreMarker(config.storage.payloadsDirectory, 'payloads');
  await writeStoreMarker(config.storage.artifactsDirectory, 'artifacts');
  const connection = await connectTemporal({ address: temporalAddress });
  try {
    await setUpNamespace(connection, { namespace: config.temporal.namespace });
  } finally {
    await connection.close();
  }
}
