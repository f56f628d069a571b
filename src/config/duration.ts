const MS_BY_UNIT: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `250ms`, `300s`, `10m`, `6h` or `30d`; undefined when it is no such thing. */
export function parseDurationMs(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined) return undefined;
  return Math.round(Number(amount) * (MS_BY_UNIT[unit] ?? 1));
}
