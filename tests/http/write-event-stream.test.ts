import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type ServerSentEvent, writeEventStream } from '../../src/http/write-event-stream.ts';
import { until } from '../support/fake-task-workflows.ts';

describe('writeEventStream', () => {
  const servers: Server[] = [];
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  async function serve(
    events: () => AsyncGenerator<ServerSentEvent, void>,
    options: { heartbeatMs: number; stallMs?: number },
  ) {
    const { promise: done, resolve } = Promise.withResolvers<unknown>();
    const server = createServer(
      (_req, res) => void writeEventStream(res, events(), options).finally(() => resolve(undefined)),
    );
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port, done };
  }

  function request(port: number): Socket {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    return socket;
  }

  it('writes comments while nothing happens, and nothing after the end', async () => {
    const go = Promise.withResolvers<unknown>();
    const { port } = await serve(
      async function* () {
        await go.promise;
        yield { id: '1', data: { last: true } };
      },
      { heartbeatMs: 20 },
    );
    const response = await fetch(`http://127.0.0.1:${port}`);
    let text = '';
    const decoder = new TextDecoder();
    for await (const bytes of response.body!) {
      text += decoder.decode(bytes);
      if (text.split(': keep-alive\n\n').length === 3) go.resolve(undefined);
    }
    expect(text).toMatch(/^(: keep-alive\n\n){2,}id: 1\ndata: {"last":true}\n\n$/);
  });

  it('asks for no more than a reader takes, and drops one that takes nothing', async () => {
    let made = 0;
    let isClosed = false;
    const { port, done } = await serve(
      async function* () {
        try {
          for (;;) {
            made += 1;
            yield { data: 'x'.repeat(65_536) };
          }
        } finally {
          isClosed = true;
        }
      },
      { heartbeatMs: 1_000, stallMs: 200 },
    );
    request(port).pause();
    await done;
    expect(isClosed).toBe(true);
    expect(made).toBeLessThan(500);
  });

  it('closes its source when the reader goes', async () => {
    let isClosed = false;
    const ended = new AbortController();
    const { port } = await serve(
      async function* () {
        try {
          while (!ended.signal.aborted) {
            await setImmediate();
            yield { data: 1 };
          }
        } finally {
          isClosed = true;
        }
      },
      { heartbeatMs: 1_000 },
    );
    const socket = request(port);
    await once(socket, 'data');
    socket.destroy();
    await until(() => isClosed, 'the source is closed');
    ended.abort();
  });
});
