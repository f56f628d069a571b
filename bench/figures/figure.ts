export type Unit = 'ms' | 'tasks/s' | 'MB' | '% of a core' | 'events';

/** What was measured: one value, or the distribution of many. */
export interface Figure {
  readonly unit: Unit;
  /** How many samples; 1 for a single value, which is then all three. */
  readonly n: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export function distribution(samples: readonly number[], unit: Unit = 'ms'): Figure {
  if (samples.length === 0) throw new Error('Nothing was measured');
  const sorted = samples.toSorted((a, b) => a - b);
  return { unit, n: sorted.length, p50: at(sorted, 0.5), p95: at(sorted, 0.95), p99: at(sorted, 0.99) };
}

export function value(amount: number, unit: Unit): Figure {
  return { unit, n: 1, p50: amount, p95: amount, p99: amount };
}

/** Nearest rank: a value that was measured. */
function at(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}
