import type { StageMemory } from './stage-memory.ts';

/**
 * Counts a failure of the executor, and answers how many there have been. `activityKey` is one scheduled activity, over all
 * its attempts: a stage that is entered again (an answer, an operator's reset) starts from nothing. An attempt counts once.
 */
export async function countFailure(memory: StageMemory, activityKey: string, attempt: number): Promise<number> {
  const known = await memory.read('failures', activityKey);
  const attempts = new Set(Array.isArray(known?.value) ? (known.value as number[]) : []);
  attempts.add(attempt);
  await memory.write('failures', activityKey, [...attempts]);
  return attempts.size;
}
