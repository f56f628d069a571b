import { checkStoreMarker } from './store-marker.ts';

/** Asks whether the stores are still where they were at the start: a folder of a network may go away. Rejects when one has gone. */
export function createStoreCheck(directories: {
  readonly payloadsDirectory: string;
  readonly artifactsDirectory: string;
}): () => Promise<void> {
  const { payloadsDirectory, artifactsDirectory } = directories;
  return async () => {
    await checkStoreMarker(payloadsDirectory, { store: 'payloads' });
    await checkStoreMarker(artifactsDirectory, { store: 'artifacts' });
  };
}
