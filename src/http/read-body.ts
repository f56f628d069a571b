import getRawBody from 'raw-body';
import type { IncomingMessage } from 'node:http';
import { RefusedRequest } from './refused-request.ts';

/** A body that trickles in for longer is given up. */
const BODY_DEADLINE_MS = 30_000;

export class UnparsableBody extends Error {}

/**
 * The body as text, checked before a byte of it is kept. Compressed ones are refused: their size is not known before it is too late.
 * @throws {RefusedRequest} 415, 413, 408 or 400
 */
export async function readBody(
  req: IncomingMessage,
  { bytesMax, deadlineMs = BODY_DEADLINE_MS }: { bytesMax: number; deadlineMs?: number },
): Promise<Buffer> {
  const encoding = req.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    throw new RefusedRequest(415, 'content-type-not-supported', 'Compressed request bodies are not supported');
  }
  const { promise: deadline, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new DeadlineError()), deadlineMs);
  try {
    const length = req.headers['content-length'] ?? null;
    return await Promise.race([getRawBody(req, { length, limit: bytesMax }), deadline]);
  } catch (error) {
    throw toRefusal(error, bytesMax);
  } finally {
    clearTimeout(timer);
    req.resume(); // what is left of a refused body is read and dropped, so that its sender gets to see the answer
  }
}

class DeadlineError extends Error {}

function toRefusal(error: unknown, bytesMax: number): RefusedRequest {
  if (error instanceof DeadlineError) {
    return new RefusedRequest(408, 'invalid-request', 'The request body did not arrive in time', {
      Connection: 'close',
    });
  }
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large') {
    return new RefusedRequest(413, 'payload-too-large', `Request too large: at most ${bytesMax} bytes are taken`);
  }
  return new RefusedRequest(400, 'invalid-request', 'Invalid request body', { Connection: 'close' });
}

/** @throws {UnparsableBody} unless it is UTF-8 and JSON */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    throw new UnparsableBody('Not JSON', { cause: error });
  }
}

/** Parameters such as the charset are ignored. */
export function requireContentType(contentType: string | undefined, allowed: readonly string[]): void {
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (!allowed.includes(type))
    throw new RefusedRequest(415, 'content-type-not-supported', `Expected ${allowed.join(' or ')}`);
}
