import type { Figure } from './figure.ts';

/** One line of the table. */
export interface Row {
  readonly what: string;
  readonly product: Figure;
  /** The raw Temporal client, doing what comes nearest to it. */
  readonly raw?: Figure;
  /** The same with eager start, which `longhaul up` has too. */
  readonly rawEager?: Figure;
  readonly aim?: Aim;
}

export interface Aim {
  readonly text: string;
  readonly isMet: boolean;
}

/** Of medians, to the plain raw client. */
export function ratioOf({ product, raw }: Row): number | undefined {
  return raw === undefined ? undefined : product.p50 / raw.p50;
}

export function atMost(text: string, measured: number, limit: number): Aim {
  return { text, isMet: measured <= limit };
}

export function atLeast(text: string, measured: number, limit: number): Aim {
  return { text, isMet: measured >= limit };
}
