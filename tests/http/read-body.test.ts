import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { readBody } from '../../src/http/read-body.ts';

it('gives up a body that does not arrive in time', async () => {
  const { promise: outcome, resolve } = Promise.withResolvers<unknown>();
  const server = createServer((req, res) => {
    readBody(req, { bytesMax: 100, deadlineMs: 50 })
      .then(resolve, resolve)
      .finally(() => res.end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const slow = request({ host: '127.0.0.1', port, method: 'POST' }).on('error', () => {});
  slow.write('{');
  expect(await outcome).toMatchObject({ status: 408, headers: { Connection: 'close' } });
  slow.destroy();
  server.close().closeAllConnections();
});
