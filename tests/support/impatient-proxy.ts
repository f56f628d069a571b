import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

export interface ImpatientProxy extends AsyncDisposable {
  readonly url: string;
  /** Connections that it has cut because the server was silent for too long. */
  readonly cut: number;
}

/** A proxy that cuts a connection on which the server has said nothing for `readTimeoutMs`. */
export async function startImpatientProxy(target: string, readTimeoutMs: number): Promise<ImpatientProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let cut = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    const impatience = setTimeout(() => {
      cut += 1;
      client.destroy();
    }, readTimeoutMs);
    upstream.on('data', () => impatience.refresh());
    upstream.on('close', () => clearTimeout(impatience));
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get cut() {
      return cut;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
