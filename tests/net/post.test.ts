import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createOutboundPolicy } from '../../src/net/outbound-policy.ts';
import { createPost, type PostRequest } from '../../src/net/post.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function serve(
  answer: (response: ServerResponse, count: number) => void,
): Promise<{ port: number; count(): number }> {
  let count = 0;
  const server = createServer((request, response) => {
    count += 1;
    request.resume().on('end', () => answer(response, count));
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, count: () => count };
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;
const request = (url: string, changes: Partial<PostRequest> = {}): PostRequest => ({
  url,
  headers: { 'Content-Type': 'text/plain' },
  body: 'hello',
  timeoutMs: 5_000,
  signal: new AbortController().signal,
  ...changes,
});

describe('a POST', () => {
  it('follows no redirect', async () => {
    const target = await serve((response) => response.end());
    const { port } = await serve((response) => {
      response.writeHead(302, { Location: `http://127.0.0.1:${target.port}/` }).end();
    });
    using post = createPost(createOutboundPolicy(['127.0.0.1']));
    expect(await post(request(`http://127.0.0.1:${port}/`))).toEqual({ status: 302 });
    expect(target.count()).toBe(0);
  });

  it('is answered by the status, however long the body is', async () => {
    const { port } = await serve((response) => {
      response.writeHead(200);
      const write = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        if (!response.destroyed) response.once('drain', write);
      };
      write();
    });
    using post = createPost(createOutboundPolicy(['127.0.0.1']));
    expect(await post(request(`http://127.0.0.1:${port}/`))).toEqual({ status: 200 });
  });

  it('ends when there is no answer in time', async () => {
    const { port } = await serve(() => undefined);
    using post = createPost(createOutboundPolicy(['127.0.0.1']));
    await expect(post(request(`http://127.0.0.1:${port}/`, { timeoutMs: 100 }))).rejects.toMatchObject({
      code: 'ABORT_ERR',
    });
  });

  it('goes on over a new connection when a kept one has been closed by the other side', async () => {
    const { port, count } = await serve((response, count) => {
      // The first answer leaves the connection open; the second request finds it closed.
      if (count === 2) response.socket?.destroy();
      else response.end();
    });
    using post = createPost(createOutboundPolicy(['127.0.0.1']));
    await post(request(`http://127.0.0.1:${port}/`));
    await setImmediate();
    expect(await post(request(`http://127.0.0.1:${port}/`))).toEqual({ status: 200 });
    expect(count()).toBe(3);
  });

  it('says when it is to be tried again', async () => {
    const { port } = await serve((response) => response.writeHead(429, { 'Retry-After': '7' }).end());
    using post = createPost(createOutboundPolicy(['127.0.0.1']));
    expect(await post(request(`http://127.0.0.1:${port}/`))).toEqual({ status: 429, retryAfter: '7' });
  });
});

describe('a name', () => {
  /** TLS fails against a plain server: that the connection was made shows in what it failed with. */
  const toLoopback = async (resolved: readonly string[], allowed: readonly string[] = []) => {
    const { port } = await serve((response) => response.end());
    using post = createPost(createOutboundPolicy(allowed), {
      resolve: async () => resolved.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    });
    return await post(request(`https://hooks.example.com:${port}/`)).catch(codeOf);
  };

  it('that leads to loopback is not connected to', async () => {
    expect(await toLoopback(['127.0.0.1'])).toBe('ADDRESS_REFUSED');
  });

  it('that has one private address among public ones is not connected to', async () => {
    expect(await toLoopback(['8.8.8.8', '10.0.0.1'])).toBe('ADDRESS_REFUSED');
    expect(await toLoopback(['8.8.8.8', '::ffff:169.254.169.254'])).toBe('ADDRESS_REFUSED');
  });

  it('that leads into an allowed network is connected to', async () => {
    expect(await toLoopback(['127.0.0.1'], ['127.0.0.0/8'])).toMatch(/SSL|EPROTO|ECONNRESET/);
  });

  it('that is looked up anew is checked anew', async () => {
    const { port } = await serve((response) => response.end());
    const answers = ['127.0.0.2', '10.0.0.1'];
    using post = createPost(createOutboundPolicy(['127.0.0.0/8']), {
      resolve: async () => [{ address: answers.shift() ?? '', family: 4 }],
    });
    const outcome = () => post(request(`https://hooks.example.com:${port}/`)).catch(codeOf);
    expect(await outcome()).not.toBe('ADDRESS_REFUSED');
    expect(await outcome()).toBe('ADDRESS_REFUSED');
  });
});

it('does not go to a URL that the policy has nothing for', async () => {
  const { port, count } = await serve((response) => response.end());
  using post = createPost(createOutboundPolicy([]));
  await expect(post(request(`http://127.0.0.1:${port}/`))).rejects.toMatchObject({ code: 'ADDRESS_REFUSED' });
  await expect(post(request(`http://localhost:${port}/`))).rejects.toMatchObject({ code: 'ADDRESS_REFUSED' });
  expect(count()).toBe(0);
});
