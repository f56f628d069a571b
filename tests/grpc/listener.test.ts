import { A2AService } from '@a2a-js/sdk/server/grpc';
import { credentials, makeGenericClientConstructor, type ServiceError, status } from '@grpc/grpc-js';
import { describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { connectGrpc, grpcMethod, toMetadata, toRequest } from '../bindings/grpc-client.ts';
import { HEADERS, startGateway } from '../support/gateway.ts';
import { listenGrpc } from '../../src/grpc/listener.ts';

const TLS = join(import.meta.dirname, '../fixtures/tls');

describe('the gRPC listener', () => {
  it('speaks TLS with a certificate and its key, and then nothing else', async () => {
    const certificate = await readFile(join(TLS, 'localhost-certificate.pem'));
    const key = await readFile(join(TLS, 'localhost-key.pem'));
    await using gateway = await startGateway({ grpc: { tls: { certificate, key } } });
    const Client = makeGenericClientConstructor(A2AService, 'A2AService');
    const codeOf = async (how: ReturnType<typeof credentials.createInsecure>): Promise<status | undefined> => {
      const client = new Client(gateway.grpcAddress.replace('127.0.0.1', 'localhost'), how);
      const { promise, resolve } = Promise.withResolvers<ServiceError | null>();
      grpcMethod(client, 'ListTasks')(toRequest('ListTasks', {}), toMetadata(HEADERS), (error) => resolve(error));
      const error = await promise;
      client.close();
      return error?.code;
    };
    expect(await codeOf(credentials.createSsl(certificate))).toBeUndefined();
    expect(await codeOf(credentials.createInsecure())).toBe(status.UNAVAILABLE);
  });

  it('says that a port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? address!.port : 0;
    const options = { createServices: () => [], host: '127.0.0.1', bodyBytesMax: 1, heartbeatMs: 1_000, drainMs: 1 };
    const printed = jest.spyOn(console, 'error').mockImplementation(() => undefined); // by grpc-js
    try {
      await expect(listenGrpc({ ...options, port })).rejects.toMatchObject({
        code: 'EADDRINUSE',
        message: `listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
      });
    } finally {
      printed.mockRestore();
      other.close();
    }
  });

  it('cuts what has not ended when the time to drain is over', async () => {
    await using gateway = await startGateway({ grpc: { drainMs: 100 } });
    const arrived = Promise.withResolvers<undefined>();
    gateway.tasks.startMemo = () => {
      arrived.resolve(undefined);
      return Promise.withResolvers<never>().promise;
    };
    const client = connectGrpc(gateway.grpcAddress);
    const { promise, resolve } = Promise.withResolvers<ServiceError | null>();
    grpcMethod(client, 'GetTask')(toRequest('GetTask', { id: 'x' }), toMetadata(HEADERS), (error) => resolve(error));
    await arrived.promise;
    await gateway.grpcListener!.drain();
    expect((await promise)?.code).toBe(status.CANCELLED);
    client.close();
  });
});
