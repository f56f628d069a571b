import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';

/** Posts JSON over kept connections with nothing in between: `fetch` would cost more than what is measured. */
export interface JsonClient extends Disposable {
  post(url: string, body: unknown): Promise<unknown>;
}

export function createJsonClient(headers: Readonly<Record<string, string>>): JsonClient {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

  async function exchange(url: string, text: string): Promise<{ status: number; answer: string }> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const length = Buffer.byteLength(text);
    const req = request(url, {
      method: 'POST',
      agent,
      headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': length },
    });
    req.once('response', resolve);
    // A server may close a kept connection at the very moment in which it is used again.
    req.on('error', (error: NodeJS.ErrnoException) =>
      reject(req.reusedSocket && error.code === 'ECONNRESET' ? new StaleConnection() : error),
    );
    req.end(text);
    const res = await promise;
    const chunks: Buffer[] = [];
    for await (const chunk of res) chunks.push(chunk as Buffer);
    return { status: res.statusCode ?? 0, answer: Buffer.concat(chunks).toString() };
  }

  async function post(url: string, body: unknown): Promise<unknown> {
    try {
      const { status, answer } = await exchange(url, JSON.stringify(body));
      if (status !== 200) throw new Error(`HTTP ${status}: ${answer}`);
      return JSON.parse(answer) as unknown;
    } catch (error) {
      if (error instanceof StaleConnection) return post(url, body);
      throw error;
    }
  }

  return { post, [Symbol.dispose]: () => agent.destroy() };
}

class StaleConnection extends Error {}
