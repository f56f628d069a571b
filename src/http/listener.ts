import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { markDrainSignal } from './drain-signal.ts';

export interface Listener extends AsyncDisposable {
  /** Origin that it can be reached at, no trailing slash. */
  readonly url: string;
  /**
   * Takes no more connections, ends open streams (their tasks go on), waits for the requests under way for at most
   * `drainMs`, and then cuts what is left.
   */
  drain(): Promise<void>;
}

export interface ListenOptions {
  /** A Koa application. */
  readonly app: { callback(): (req: IncomingMessage, res: ServerResponse) => Promise<void> };
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly drainMs?: number;
}

/** The whole request, body included; the body has a deadline of its own, whose answer is JSON. */
const REQUEST_TIMEOUT_MS = 60_000;
const DRAIN_MS = 10_000;

/** @throws what Node's `listen` reports, such as EADDRINUSE */
export async function listen({ app, host, port, drainMs = DRAIN_MS }: ListenOptions): Promise<Listener> {
  const draining = new AbortController();
  const handle = app.callback();
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (req, res) => {
    markDrainSignal(req, draining.signal);
    if (draining.signal.aborted) res.setHeader('Connection', 'close');
    void handle(req, res); // Koa answers its own errors
  });
  server.on('clientError', refuseMalformed);
  const { promise: listening, resolve, reject } = Promise.withResolvers<undefined>();
  server.once('error', reject);
  server.listen(port, host, () => resolve(undefined));
  await listening;
  server.off('error', reject);

  let drained: Promise<void> | undefined;
  const drain = (): Promise<void> => (drained ??= close());

  async function close(): Promise<void> {
    const { promise: closed, resolve: onClosed } = Promise.withResolvers<undefined>();
    server.close(() => onClosed(undefined));
    draining.abort();
    server.closeIdleConnections();
    // A connection turns idle when its last response ends: it is then nobody's any more.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    const cut = setTimeout(() => server.closeAllConnections(), drainMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(cut);
  }

  return { url: urlOf(server.address(), host), drain, [Symbol.asyncDispose]: drain };
}

/** What is no HTTP never comes to the application; by default Node closes without a word, or with one that has no body. */
const REFUSAL_BY_CODE: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Content Too Large',
};

function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  // A response that has begun on this connection must not get another one into its middle.
  const { _httpMessage: response } = socket as Duplex & { _httpMessage?: ServerResponse | null };
  if (error.code === 'ECONNRESET' || !socket.writable || response?.headersSent === true) {
    socket.destroy(error);
    return;
  }
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32600, message: 'The request is not valid HTTP' },
  });
  const status = REFUSAL_BY_CODE[error.code ?? ''] ?? '400 Bad Request';
  const head = [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function urlOf(address: ReturnType<ReturnType<typeof createServer>['address']>, host: string): string {
  if (address === null || typeof address === 'string') throw new TypeError('Not a TCP listener');
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${address.port}`;
}
