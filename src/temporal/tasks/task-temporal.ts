import type { Client, Connection } from '@temporalio/client';
import type { CallLane } from '../call-lane.ts';
import { withDeadline } from '../connection.ts';
import type { PayloadDecoder } from '../data-converter.ts';
import { toTaskFailure } from './task-failures.ts';

/** How the files that handle tasks reach Temporal. */
export interface TaskTemporal {
  /** The grpc-js connection under `temporalClient`. */
  readonly connection: Connection;
  readonly temporalClient: Client;
  /** Starts tasks over the worker's NativeConnection, so that a worker in this process gets them without a poll. */
  readonly eagerStartClient?: Client;
  readonly taskQueue: string;
  /** Of the data converter that the clients and the workers have. */
  readonly payloads: PayloadDecoder;
  /** How long one call to Temporal may take, retries included. */
  readonly callTimeoutMs: number;
  /** In which calls wait for their turn, those with a limit of their own excepted. */
  readonly lane: CallLane;
}

/** Every call to Temporal on behalf of a task: under a limit of our own, and failing with what a caller may read. */
export async function callTemporal<T>(temporal: TaskTemporal, call: () => Promise<T>, timeoutMs?: number): Promise<T> {
  const callInTime = async (): Promise<T> => {
    try {
      return await withDeadline(temporal.connection, timeoutMs ?? temporal.callTimeoutMs, call);
    } catch (error) {
      throw toTaskFailure(error);
    }
  };
  return timeoutMs === undefined ? temporal.lane.run(callInTime) : callInTime();
}

export function namespaceOf({ temporalClient }: TaskTemporal): string {
  return temporalClient.options.namespace;
}
