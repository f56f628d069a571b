import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { GrpcService } from './handle-grpc.ts';

export interface GrpcListener extends AsyncDisposable {
  readonly port: number;
  /**
   * Takes no more calls, ends open streams (their tasks go on), waits for the calls under way for at most `drainMs`, and then cuts
   * what is left.
   */
  drain(): Promise<void>;
}

export interface GrpcListenOptions {
  /** @param draining aborts when the listener drains */
  readonly createServices: (draining: AbortSignal) => readonly GrpcService[];
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** PEM; without it connections are plain, as behind a proxy that ends TLS. */
  readonly tls?: { readonly certificate: Buffer; readonly key: Buffer };
  /** Of one request. */
  readonly bodyBytesMax: number;
  /** A ping goes out after so long a silence, and a client that does not answer one is gone. */
  readonly heartbeatMs: number;
  readonly drainMs: number;
}

/** @throws what Node's `listen` reports, such as EADDRINUSE */
export async function listenGrpc(options: GrpcListenOptions): Promise<GrpcListener> {
  const { createServices, host, tls, bodyBytesMax, heartbeatMs, drainMs } = options;
  const draining = new AbortController();
  const server = new Server({
    'grpc.max_receive_message_length': bodyBytesMax,
    'grpc.max_send_message_length': -1,
    'grpc.keepalive_time_ms': heartbeatMs,
  });
  for (const { definition, implementation } of createServices(draining.signal)) {
    server.addService(definition, implementation);
  }
  const credentials =
    tls === undefined
      ? ServerCredentials.createInsecure()
      : ServerCredentials.createSsl(null, [{ cert_chain: tls.certificate, private_key: tls.key }]);
  const address = `${host.includes(':') ? `[${host}]` : host}:${options.port}`;
  const { promise: bound, resolve, reject } = Promise.withResolvers<number>();
  server.bindAsync(address, credentials, (error, port) =>
    error === null ? resolve(port) : reject(toListenError(error)),
  );
  const port = await bound;

  let drained: Promise<void> | undefined;
  const drain = (): Promise<void> => (drained ??= close());

  async function close(): Promise<void> {
    const { promise: closed, resolve: onClosed } = Promise.withResolvers<undefined>();
    server.tryShutdown(() => onClosed(undefined));
    draining.abort();
    const cut = setTimeout(() => server.forceShutdown(), drainMs);
    await closed;
    clearTimeout(cut);
  }

  return { port, drain, [Symbol.asyncDispose]: drain };
}

/** Of `No address added out of total 1 resolved errors: [listen EADDRINUSE: address already in use 127.0.0.1:4003]`. */
function toListenError(cause: Error): Error {
  const message = /listen [^\]]+/.exec(cause.message)?.[0] ?? cause.message;
  const code = /\b(E[A-Z]{3,})\b/.exec(message)?.[1];
  return Object.assign(new Error(message, { cause }), code !== undefined && { code });
}
