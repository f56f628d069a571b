import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { isGrpcServiceError } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { withDeadline } from '../connection.ts';
import { addSearchAttributes } from './add-search-attributes.ts';
import { SEARCH_ATTRIBUTES } from './search-attributes.ts';

export interface SetUpNamespaceOptions {
  readonly namespace: string;
  /** For how long Temporal keeps a closed task, of a namespace that is made here. */
  readonly retentionDays?: number;
}

const RETENTION_DAYS_DEFAULT = 90;
const MS_PER_DAY = 86_400_000;
const CALL_TIMEOUT_MS = 10_000;
const USABLE_TIMEOUT_MS = 60_000;
const POLL_MS = 100;

const GRPC_INVALID_ARGUMENT = 3;
const GRPC_NOT_FOUND = 5;
const GRPC_ALREADY_EXISTS = 6;
const GRPC_PERMISSION_DENIED = 7;
const GRPC_UNAUTHENTICATED = 16;

/** Names that a query can only use once the server knows every attribute. */
const USES_EVERY_ATTRIBUTE =
  "A2aCaller = '-' AND A2aPublication = '-' AND A2aContext = '-' AND A2aState = '-' " +
  "AND A2aUpdated > '2000-01-01T00:00:00Z' AND A2aOpenQuestions > 0";

/**
 * Makes the namespace and its search attributes unless they are there, and returns when both can be used. May run any
 * number of times and in several processes at once; an existing namespace keeps its retention.
 *
 * @throws with a sentence for an operator, when permission is missing or an attribute has another type.
 */
export async function setUpNamespace(connection: Connection, options: SetUpNamespaceOptions): Promise<void> {
  try {
    await ensureNamespace(connection, options);
    const { namespace } = options;
    await untilKnown(connection, () => connection.operatorService.listSearchAttributes({ namespace }));
    await addSearchAttributes(connection, namespace);
    await untilKnown(connection, () =>
      connection.workflowService.countWorkflowExecutions({ namespace, query: USES_EVERY_ATTRIBUTE }),
    );
  } catch (error) {
    if (isGrpcServiceError(error) && (error.code === GRPC_PERMISSION_DENIED || error.code === GRPC_UNAUTHENTICATED)) {
      throw new Error(
        `The credentials for Temporal may not set up namespace "${options.namespace}" (${error.details}). ` +
          `Let an administrator create it with the search attributes ${describeAttributes()}, or use credentials that may.`,
        { cause: error },
      );
    }
    throw error;
  }
}

async function ensureNamespace(
  connection: Connection,
  { namespace, retentionDays = RETENTION_DAYS_DEFAULT }: SetUpNamespaceOptions,
): Promise<void> {
  const service = connection.workflowService;
  try {
    await withDeadline(connection, CALL_TIMEOUT_MS, () => service.describeNamespace({ namespace }));
    return;
  } catch (error) {
    if (!hasCode(error, GRPC_NOT_FOUND)) throw error;
  }
  try {
    await withDeadline(connection, CALL_TIMEOUT_MS, () =>
      service.registerNamespace({
        namespace,
        description: 'Longhaul: every A2A task is a workflow here',
        workflowExecutionRetentionPeriod: msToTs(retentionDays * MS_PER_DAY),
      }),
    );
  } catch (error) {
    if (!hasCode(error, GRPC_ALREADY_EXISTS)) throw error; // another process was faster
  }
}

/** Servers cache namespaces and attributes for some seconds, so what was made may not be known yet. */
async function untilKnown(connection: Connection, call: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + USABLE_TIMEOUT_MS;
  for (;;) {
    try {
      await withDeadline(connection, CALL_TIMEOUT_MS, call);
      return;
    } catch (error) {
      if (Date.now() > deadline || !isNotKnownYet(error)) throw error;
    }
    await delay(POLL_MS);
  }
}

function isNotKnownYet(error: unknown): boolean {
  // INVALID_ARGUMENT: the query names an unknown attribute.
  return hasCode(error, GRPC_NOT_FOUND) || hasCode(error, GRPC_INVALID_ARGUMENT);
}

function hasCode(error: unknown, code: number): boolean {
  return isGrpcServiceError(error) && error.code === code;
}

function describeAttributes(): string {
  return Object.entries(SEARCH_ATTRIBUTES)
    .map(([name, type]) => `${name} (${type})`)
    .join(', ');
}
