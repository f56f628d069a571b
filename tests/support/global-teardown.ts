/** Setup and teardown share jest's main process, though not always one module registry: hence the global. */
const shared = globalThis as typeof globalThis & { longhaulTestTeardown?: () => Promise<void> };

export function keepForTeardown(teardown: () => Promise<void>): void {
  shared.longhaulTestTeardown = teardown;
}

export default async function globalTeardown(): Promise<void> {
  await shared.longhaulTestTeardown?.();
}
