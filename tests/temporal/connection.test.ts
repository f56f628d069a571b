import { describe, expect, it } from '@jest/globals';
import type { Socket } from 'node:net';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { Connection } from '@temporalio/client';
import {
  connectTemporal,
  connectTemporalNatively,
  isTemporalAway,
  isTemporalHealthy,
  TemporalUnreachableError,
  withDeadline,
} from '../../src/temporal/connection.ts';
import { findFreePort } from '../../src/temporal/server/free-port.ts';
import { startOwnServer, testServer } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';

describe('connectTemporal', () => {
  it('says what to check when nothing answers', async () => {
    const address = `127.0.0.1:${await findFreePort()}`;
    await expect(connectTemporal({ address })).rejects.toThrow(`Temporal does not answer at ${address}`);
    await expect(connectTemporalNatively({ address })).rejects.toThrow(TemporalUnreachableError);
    expect(await isTemporalHealthy({ address })).toBe(false);
  });

  it('works again by itself after the server was killed and came back', async () => {
    await using server = await startOwnServer();
    const connection = await connectTemporal({ address: server.address });
    const describe = () =>
      withDeadline(connection, 2_000, () =>
        connection.workflowService.describeNamespace({ namespace: server.namespace }),
      );
    await describe();

    server.kill();
    await expect(describe()).rejects.toThrow(TemporalUnreachableError);

    await server.restart();
    expect((await eventually(describe)).namespaceInfo?.name).toBe(server.namespace);
    await connection.close();
  });

  it('survives that it is closed while a call is being retried', async () => {
    const connection = await connectTemporal({ address: `127.0.0.1:${await findFreePort()}`, lazy: true });
    const call = connection.workflowService.getSystemInfo({});
    await expect(withDeadline(connection, 50, () => connection.workflowService.getSystemInfo({}))).rejects.toThrow(
      TemporalUnreachableError,
    );
    await connection.close();
    await expect(call).rejects.toThrow(); // a rejection, where the SDK alone ends the process
  });
});

describe('withDeadline', () => {
  it('ends a call to a server that accepts and never answers', async () => {
    const sockets = new Set<Socket>();
    const mute = createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const connection = Connection.lazy({ address: `127.0.0.1:${(mute.address() as { port: number }).port}` });
    await expect(withDeadline(connection, 300, () => connection.workflowService.getSystemInfo({}))).rejects.toThrow(
      /does not answer/,
    );
    await connection.close();
    for (const socket of sockets) socket.destroy();
    mute.close();
  });

  it('passes on what the server refuses', async () => {
    const connection = await testServer().connection();
    const refused = withDeadline(connection, 5_000, () =>
      connection.workflowService.describeNamespace({ namespace: 'missing' }),
    );
    await expect(refused).rejects.toMatchObject({ code: 5 });
    await expect(refused.catch((error: unknown) => isTemporalAway(error))).resolves.toBe(false);
  });
});
