import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { message, openStream, rpc, send, startGateway } from '../support/gateway.ts';

describe('a listener', () => {
  it('ends streams cleanly without telling an end that is none, and answers waits with the task as it is', async () => {
    await using gateway = await startGateway();
    const begun = await send(gateway, 'hold', { configuration: { returnImmediately: true } });
    const { id } = begun.body.result.task;
    await using events = await openStream(gateway.url, 'SubscribeToTask', { id });
    await events.next();
    const sent = message('hold');
    const waiting = rpc(gateway.url, 'SendMessage', { message: sent });
    await rpc(gateway.url, 'SendMessage', { message: sent, configuration: { returnImmediately: true } });

    await gateway.publicListener.drain();
    expect(await events.rest()).toEqual([]);
    expect((await waiting).body.result.task.status.state).toBe('TASK_STATE_WORKING');
    await expect(fetch(`${gateway.url}/a2a`)).rejects.toThrow();
    expect((await gateway.tasks.read(id)).task.status.state).toBe('TASK_STATE_WORKING');
  });

  it('answers what is no HTTP with JSON', async () => {
    await using gateway = await startGateway();
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.write('{"jsonrpc":"2.0"}\r\n\r\n');
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 [^]*Content-Type: application\/json/);
    expect(JSON.parse(body)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } });
  });

  it('says which port is taken', async () => {
    const { listen } = await import('../../src/http/listener.ts');
    await using gateway = await startGateway();
    const port = Number(new URL(gateway.url).port);
    const app = { callback: () => async () => {} };
    await expect(listen({ app, host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
