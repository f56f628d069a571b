/** Answers every request with the same few bytes: what is left of a measurement is the bench's own. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((req, res) => {
  req.resume().on('end', () => {
    res.setHeader('Content-Type', 'application/json');
    res.end('{"jsonrpc":"2.0","id":1,"result":{}}');
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => {
  server.close();
  server.closeAllConnections();
});
