import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { checkOutboundUrl, portOf } from './check-outbound-url.ts';
import { AddressRefusedError, createGuardedLookup, type Resolve } from './guarded-lookup.ts';
import { type OutboundPolicy, plainHost } from './outbound-policy.ts';

export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** From the first step of the connection to the answer's status. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The answer's body is nobody's concern. */
export interface PostAnswer {
  readonly status: number;
  readonly retryAfter?: string;
}

/**
 * Sends a POST to where the policy lets it go; follows no redirect.
 * @throws AddressRefusedError; an error with a `code` when there was no connection, or no answer in time (`ABORT_ERR`)
 */
export type Post = (request: PostRequest) => Promise<PostAnswer>;

const IDLE_MS = 4_000;
/** What is read of a body, so that its connection can be used again; a longer one ends the connection. */
const BODY_BYTES_MAX = 16_384;

export function createPost(policy: OutboundPolicy, { resolve }: { resolve?: Resolve } = {}): Post & Disposable {
  const guarded = { lookup: createGuardedLookup(policy, resolve) };
  const agentOptions = { keepAlive: true, timeout: IDLE_MS, scheduling: 'lifo' } as const;
  const agents = { http: new HttpAgent(agentOptions), https: new HttpsAgent(agentOptions) };

  const post: Post = async (request) => {
    const checked = checkOutboundUrl(request.url, policy);
    if ('fault' in checked) throw new AddressRefusedError();
    const { url } = checked;
    // A host that an operator has named may have any address.
    const lookup = policy.allowsHost(plainHost(url.hostname), portOf(url)) ? {} : guarded;
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(request.timeoutMs)]);
    const isHttps = url.protocol === 'https:';
    const send = (): Promise<PostAnswer> =>
      new Promise((resolveAnswer, reject) => {
        const options = {
          method: 'POST',
          headers: { ...request.headers, 'Content-Length': String(Buffer.byteLength(request.body)) },
          signal,
          ...lookup,
        };
        const outgoing = isHttps
          ? httpsRequest(url, { ...options, agent: agents.https })
          : httpRequest(url, { ...options, agent: agents.http });
        outgoing.on('response', (response) => {
          discard(response, outgoing);
          const retryAfter = response.headers['retry-after'];
          resolveAnswer({ status: response.statusCode ?? 0, ...(retryAfter !== undefined && { retryAfter }) });
        });
        outgoing.on('error', (error) => reject(new PostError(error, outgoing.reusedSocket)));
        outgoing.end(request.body);
      });
    try {
      return await send();
    } catch (error) {
      // A connection that had been kept, and that the other side closed at this moment, says nothing about the other side.
      if (!(error instanceof PostError)) throw error;
      if (error.isStale && !signal.aborted) return send().catch(throwCause);
      return throwCause(error);
    }
  };
  return Object.assign(post, {
    [Symbol.dispose]: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  });
}

class PostError extends Error {
  readonly isStale: boolean;

  constructor(cause: Error, isReused: boolean) {
    super('The request failed', { cause });
    this.isStale = isReused && ['ECONNRESET', 'EPIPE'].includes((cause as NodeJS.ErrnoException).code ?? '');
  }
}

function throwCause(error: unknown): never {
  throw error instanceof PostError ? error.cause : error;
}

function discard(response: IncomingMessage, outgoing: ClientRequest): void {
  let bytes = 0;
  // Who sends its body for ever holds no connection of ours.
  const limit = setTimeout(() => outgoing.destroy(), IDLE_MS).unref();
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) outgoing.destroy();
  });
  response.on('error', () => undefined);
  response.on('close', () => clearTimeout(limit));
}
