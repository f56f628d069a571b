import { once } from 'node:events';
import { createServer } from 'node:net';

/** The preferred TCP port of 127.0.0.1 if nothing listens there, else one that the system chooses. */
export async function findFreePort(preferred = 0): Promise<number> {
  return (await tryPort(preferred)) ?? (await tryPort(0)) ?? preferred;
}

async function tryPort(port: number): Promise<number | undefined> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address ? address.port : undefined;
  } catch {
    return undefined;
  } finally {
    server.close();
  }
}
