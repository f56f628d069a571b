import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits until `check` neither throws nor returns undefined, null or false, and gives what it returned. The limit is
 * only there to end a test that has failed; it fails with the last error of the check.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { timeoutMs = 20_000, intervalMs = 25 }: { timeoutMs?: number; intervalMs?: number } = {},
): Promise<Exclude<Awaited<T>, undefined | null | false>> {
  const deadline = Date.now() + timeoutMs;
  let lastError: unknown = new Error('The condition did not come true');
  for (;;) {
    try {
      const result = await check();
      if (result !== undefined && result !== null && result !== false)
        return result as Exclude<Awaited<T>, undefined | null | false>;
    } catch (error) {
      lastError = error;
    }
    if (Date.now() > deadline)
      throw new Error(`Not within ${timeoutMs} ms: ${String(lastError)}`, { cause: lastError });
    await delay(intervalMs);
  }
}
