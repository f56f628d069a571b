import type { Row } from './figures/row.ts';
import type { Product } from './product/start-product.ts';
import type { WaitingTasks } from './product/waiting-tasks.ts';
import type { Raw } from './raw/start-raw.ts';

/** What a section measures with. */
export interface Bench {
  readonly product: Product;
  readonly raw: Raw;
  readonly waitingTasks: WaitingTasks;
  /** How often, and how many. */
  readonly sizes: Sizes;
  /** Says what is being done. */
  readonly say: (line: string) => void;
}

export interface Section {
  readonly name: string;
  /** In a few words, for `--help`. */
  readonly about: string;
  readonly measure: (bench: Bench) => Promise<readonly Row[]>;
}

export interface Sizes {
  /** Product and raw client take turns: so many rounds. */
  readonly rounds: number;
  /** Samples in each round. */
  readonly perRound: number;
  readonly readsPerRound: number;
  readonly eventsPerRound: number;
  readonly throughput: { readonly count: number; readonly atOnce: number };
  readonly waiting: readonly number[];
  readonly streams: readonly number[];
  readonly answers: number;
  readonly restMs: number;
}

export const FULL: Sizes = {
  rounds: 6,
  perRound: 50,
  readsPerRound: 300,
  eventsPerRound: 40,
  throughput: { count: 400, atOnce: 20 },
  waiting: [1_000, 10_000],
  streams: [1_000, 5_000],
  answers: 100,
  restMs: 15_000,
};

export const QUICK: Sizes = {
  rounds: 2,
  perRound: 10,
  readsPerRound: 40,
  eventsPerRound: 5,
  throughput: { count: 40, atOnce: 10 },
  waiting: [50, 200],
  streams: [50, 200],
  answers: 10,
  restMs: 3_000,
};
