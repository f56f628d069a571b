/** Calls `work` for 0 to `count` - 1, so many at the same time; its results are in that order. */
export async function inParallel<T>(
  count: number,
  { atOnce }: { readonly atOnce: number },
  work: (index: number) => Promise<T>,
): Promise<T[]> {
  const results = new Array<T>(count);
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) results[index] = await work(index);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, lane));
  return results;
}

/** Milliseconds that it took. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begunAt = performance.now();
  await work();
  return performance.now() - begunAt;
}

/** One after the other; milliseconds of each. `after` is not counted. */
export async function timedTimes(
  count: number,
  work: (index: number) => Promise<unknown>,
  after?: (index: number) => Promise<unknown>,
): Promise<number[]> {
  const samples: number[] = [];
  for (let index = 0; index < count; index++) {
    samples.push(await timed(() => work(index)));
    await after?.(index);
  }
  return samples;
}
