/** Between the bench and the process of the raw client: one request at a time or several, each with its answer. */
import type { RawOperations } from './operations.ts';

export type OperationName = keyof RawOperations;

export interface RawRequest {
  readonly id: number;
  readonly name: OperationName;
  readonly options: unknown;
}

export type RawAnswer =
  { readonly id: number; readonly result: unknown } | { readonly id: number; readonly error: string };

/** The first argument of the process, as JSON. */
export interface RawPlace {
  readonly address: string;
  readonly namespace: string;
  readonly taskQueue: string;
}
