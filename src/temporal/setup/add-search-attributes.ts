import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { isGrpcServiceError } from '@temporalio/client';
import { isTemporalAway, withDeadline } from '../connection.ts';
import { INDEXED_VALUE_TYPES, SEARCH_ATTRIBUTES } from './search-attributes.ts';

const CALL_TIMEOUT_MS = 10_000;
const ATTEMPTS = 20;
const RETRY_MS = 250;

const GRPC_PERMISSION_DENIED = 7;
const GRPC_UNIMPLEMENTED = 12;
const GRPC_UNAUTHENTICATED = 16;

/**
 * Adds the missing attributes to the namespace. Two processes that add at once can make each other fail, and the
 * server's answer is then no proof of anything, so what counts is what the server lists afterwards.
 */
export async function addSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const missing = await missingAttributes(connection, namespace);
    if (Object.keys(missing).length === 0) return;
    try {
      await withDeadline(connection, CALL_TIMEOUT_MS, () =>
        connection.operatorService.addSearchAttributes({ namespace, searchAttributes: missing }),
      );
    } catch (error) {
      if (attempt === ATTEMPTS || isTemporalAway(error) || isFinal(error)) throw error;
      await delay(RETRY_MS * Math.random());
    }
  }
}

async function missingAttributes(connection: Connection, namespace: string) {
  const { customAttributes } = await withDeadline(connection, CALL_TIMEOUT_MS, () =>
    connection.operatorService.listSearchAttributes({ namespace }),
  );
  const missing: Record<string, (typeof INDEXED_VALUE_TYPES)[keyof typeof INDEXED_VALUE_TYPES]> = {};
  for (const [name, typeName] of Object.entries(SEARCH_ATTRIBUTES)) {
    const type = INDEXED_VALUE_TYPES[typeName];
    const present = customAttributes[name];
    if (present === undefined) missing[name] = type;
    else if (present !== type) {
      throw new Error(
        `Search attribute ${name} of namespace "${namespace}" must be of type ${typeName}, ` +
          `but it has another one. Remove it or use another namespace.`,
      );
    }
  }
  return missing;
}

function isFinal(error: unknown): boolean {
  return (
    isGrpcServiceError(error) && [GRPC_PERMISSION_DENIED, GRPC_UNAUTHENTICATED, GRPC_UNIMPLEMENTED].includes(error.code)
  );
}
