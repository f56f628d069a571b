import type { DataConverter, Payload, StorageDriver } from '@temporalio/common';
import { ExternalStorage, StorageDriverClaim } from '@temporalio/common';
import {
  decodeArrayFromPayloads,
  ExternalStorageRunner,
  loadDataConverter,
} from '@temporalio/common/lib/internal-non-workflow/index.js';
import protocol from '@temporalio/proto';
import type { PayloadStore } from '../storage/payload-store.ts';

/** Temporal's own default is 256 KiB; a history of long tasks should stay small, and Temporal refuses 2 MiB. */
const INLINE_BYTES_MAX = 32 * 1024;

const PayloadMessage = protocol.temporal.api.common.v1.Payload;

/**
 * What `Client`, `Worker.create` and `Worker.runReplayHistories` take as `dataConverter`: payloads over 32 KiB go to
 * the store, and a reference to them into history.
 */
export function createDataConverter({ payloadStore }: { payloadStore: PayloadStore }): DataConverter {
  return {
    externalStorage: new ExternalStorage({
      drivers: [createStorageDriver(payloadStore)],
      payloadSizeThreshold: INLINE_BYTES_MAX,
    }),
  };
}

/** Reads payloads that were taken raw from the API: of histories, memos, signals. The SDK decodes only what it fetched. */
export interface PayloadDecoder {
  /** In order; nothing for an absent list. */
  decodeAll(payloads: readonly Payload[] | null | undefined): Promise<unknown[]>;
  /** The first, as most lists hold one. */
  decodeFirst(payloads: readonly Payload[] | null | undefined): Promise<unknown>;
  /** By name, as in a memo. */
  decodeFields(fields: Readonly<Record<string, Payload>> | null | undefined): Promise<Record<string, unknown>>;
}

/** @throws PayloadStoreError when a payload is not in the store. */
export function createPayloadDecoder(dataConverter: DataConverter): PayloadDecoder {
  const converter = loadDataConverter(dataConverter);
  const runner = converter.externalStorage && new ExternalStorageRunner(converter.externalStorage);

  async function decodeAll(payloads: readonly Payload[] | null | undefined): Promise<unknown[]> {
    if (!payloads || payloads.length === 0) return [];
    const inline = [...payloads];
    return decodeArrayFromPayloads(converter, runner ? await runner.retrieve(inline) : inline);
  }
  return {
    decodeAll,
    async decodeFirst(payloads) {
      return (await decodeAll(payloads?.slice(0, 1)))[0];
    },
    async decodeFields(fields) {
      const entries = Object.entries(fields ?? {});
      const values = await decodeAll(entries.map(([, payload]) => payload));
      return Object.fromEntries(entries.map(([name], index) => [name, values[index]]));
    },
  };
}

/** `name` and `sha256` are written into histories: they never change. */
function createStorageDriver(payloadStore: PayloadStore): StorageDriver {
  return {
    name: 'longhaul-payloads',
    type: 'longhaul.payload-store',
    store: (_context, payloads) =>
      Promise.all(
        payloads.map(async (payload) => {
          const sha256 = await payloadStore.put(PayloadMessage.encode(payload).finish());
          return new StorageDriverClaim({ sha256 });
        }),
      ),
    retrieve: (_context, claims) =>
      Promise.all(
        claims.map(async ({ claimData }) => PayloadMessage.decode(await payloadStore.get(claimData['sha256'] ?? ''))),
      ),
  };
}
