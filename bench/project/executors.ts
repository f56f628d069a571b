import { setTimeout as delay } from 'node:timers/promises';
import type { Executor } from 'longhaul';

/** The smallest task that there is. */
export const quick: Executor = async ({ input }) => ({ summary: (input as { text: string }).text });

/** Shows progress `<count> <intervalMs>` times; each says when it was shown, in milliseconds since 1970. */
export const ticks: Executor = async ({ input, progress, signal }) => {
  const [count = 0, intervalMs = 0] = (input as { text: string }).text.split(' ').map(Number);
  for (let index = 0; index < count; index++) {
    await delay(intervalMs, undefined, { signal });
    await progress({ text: `at ${performance.timeOrigin + performance.now()}` });
  }
  return { summary: 'done' };
};
