/** Runs the measurements in turn, round by round, so that what disturbs the machine disturbs all; samples of each. */
export async function takeTurns<Name extends string>(
  rounds: number,
  measurements: Readonly<Record<Name, () => Promise<readonly number[]>>>,
): Promise<Record<Name, number[]>> {
  const entries = Object.entries(measurements) as [Name, () => Promise<readonly number[]>][];
  const samples = new Map<Name, number[]>(entries.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, measure] of entries) samples.get(name)?.push(...(await measure()));
  }
  return Object.fromEntries(samples) as Record<Name, number[]>;
}
