const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/** `600000` → `10 min`: in the largest unit that it is a whole number of. */
export function formatDuration(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= each && ms % each === 0) ?? ['ms', 1];
  return `${ms / size} ${unit}`;
}
