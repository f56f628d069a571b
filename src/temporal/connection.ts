import type { Interceptor } from '@grpc/grpc-js';
import { Connection, defaultGrpcRetryOptions, isGrpcServiceError, makeGrpcRetryInterceptor } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { guardClosedChannel } from './closed-channel-guard.ts';

export interface TemporalAddress {
  /** `host:port` of the frontend. */
  readonly address: string;
  readonly tls?: TemporalTls | true;
  readonly apiKey?: string;
}

/** PEM bytes; the pair is the client's certificate, for mutual TLS. */
export interface TemporalTls {
  readonly serverRootCACertificate?: Uint8Array;
  readonly serverNameOverride?: string;
  readonly clientCertPair?: { readonly crt: Uint8Array; readonly key: Uint8Array };
}

/** Temporal did not answer, or not in time. The message is for an operator: it holds the address. */
export class TemporalUnreachableError extends Error {
  override readonly name = 'TemporalUnreachableError';
}

const CONNECT_TIMEOUT_MS = 5_000;
const RECONNECT_MAX_MS = 1_000;
const CALL_TIMEOUT_DEFAULT_MS = 5_000;

/** gRPC status codes that say nothing about the request: the server, or the way to it, is in trouble. */
const GRPC_CODES_OF_ABSENCE: ReadonlySet<number> = new Set([
  1 /* CANCELLED */, 4 /* DEADLINE_EXCEEDED */, 14 /* UNAVAILABLE */,
]);

/**
 * A connection for everything but starts and worker polls. It reconnects by itself when the server comes back.
 *
 * @param lazy true: do not ask whether the server is there; the first call will find out.
 * @throws TemporalUnreachableError
 */
export async function connectTemporal({
  lazy = false,
  ...options
}: TemporalAddress & { lazy?: boolean }): Promise<Connection> {
  const connection = openConnection(options, [makeGrpcRetryInterceptor(defaultGrpcRetryOptions())]);
  if (lazy) return connection;
  try {
    await connection.ensureConnected();
    return connection;
  } catch (error) {
    await connection.close();
    throw unreachable(options.address, error);
  }
}

/** The worker's connection; it cannot be made while the server is away. @throws TemporalUnreachableError */
export async function connectTemporalNatively({ address, ...options }: TemporalAddress): Promise<NativeConnection> {
  // Connecting natively to an address that is mute takes 30 s to fail, so ask there in the bounded way first.
  await (await connectTemporal({ address, ...options })).close();
  try {
    return await NativeConnection.connect(connectionOptions({ address, ...options }));
  } catch (error) {
    throw unreachable(address, error);
  }
}

/**
 * Runs calls on a grpc-js connection under a limit of our own: they have ended after `timeoutMs`, whatever the server,
 * the network or the SDK's retries do.
 *
 * @throws TemporalUnreachableError when the time is over or the server is away; anything else as it is.
 */
export async function withDeadline<T>(connection: Connection, timeoutMs: number, call: () => Promise<T>): Promise<T> {
  // The deadline ends a call, the abort signal the wait between two retries, and the race whatever heeds neither.
  const expiry = new AbortController();
  const expired = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    expiry.abort();
    expired.reject(new Error(`No answer within ${timeoutMs} ms`));
  }, timeoutMs);
  try {
    const calls = connection.withDeadline(Date.now() + timeoutMs, () =>
      connection.withAbortSignal(expiry.signal, call),
    );
    return await Promise.race([calls, expired.promise]);
  } catch (error) {
    throw expiry.signal.aborted || isTemporalAway(error) ? unreachable(connection.options.address, error) : error;
  } finally {
    clearTimeout(timer);
  }
}

/** True for an error that says that Temporal, or the way to it, is away; also when it is the cause of another. */
export function isTemporalAway(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof TemporalUnreachableError) return true;
    if (isGrpcServiceError(cause) && GRPC_CODES_OF_ABSENCE.has(cause.code)) return true;
  }
  return false;
}

/** True when a server answers for workflows at this address. */
export async function isTemporalHealthy(
  address: TemporalAddress,
  timeoutMs = CALL_TIMEOUT_DEFAULT_MS,
): Promise<boolean> {
  const connection = openConnection(address, []); // no retries: a server that is away is the answer
  try {
    const { status } = await withDeadline(connection, timeoutMs, () =>
      connection.healthService.check({ service: 'temporal.api.workflowservice.v1.WorkflowService' }),
    );
    return status === 1; // SERVING
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}

function openConnection(options: TemporalAddress, interceptors: Interceptor[]): Connection {
  return Connection.lazy({
    ...connectionOptions(options),
    connectTimeout: CONNECT_TIMEOUT_MS,
    interceptors: [...interceptors, guardClosedChannel],
    channelArgs: { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': RECONNECT_MAX_MS },
  });
}

function connectionOptions({ address, tls, apiKey }: TemporalAddress) {
  // An API key never goes over a connection in clear text.
  const encryption = tls ?? (apiKey ? true : undefined);
  return {
    address,
    ...(encryption && { tls: encryption === true ? true : sdkTls(encryption) }),
    ...(apiKey && { apiKey }),
  };
}

function sdkTls({ serverRootCACertificate, serverNameOverride, clientCertPair }: TemporalTls) {
  return {
    ...(serverRootCACertificate && { serverRootCACertificate: Buffer.from(serverRootCACertificate) }),
    ...(serverNameOverride && { serverNameOverride }),
    ...(clientCertPair && {
      clientCertPair: { crt: Buffer.from(clientCertPair.crt), key: Buffer.from(clientCertPair.key) },
    }),
  };
}

function unreachable(address: string, cause: unknown): TemporalUnreachableError {
  if (cause instanceof TemporalUnreachableError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new TemporalUnreachableError(
    `Temporal does not answer at ${address}: ${reason}. ` + 'Is the server running, and is TEMPORAL_ADDRESS right?',
    { cause },
  );
}
