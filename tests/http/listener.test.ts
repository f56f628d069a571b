import { describe, expect, it } from '@jest/globals';
import { message, openStream, rpc, send, startGateway } from '../support/gateway.ts';

describe('draining a listener', () => {
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

  it('says which port is taken', async () => {
    const { listen } = await import('../../src/http/listener.ts');
    await using gateway = await startGateway();
    const port = Number(new URL(gateway.url).port);
    const app = { callback: () => async () => {} };
    await expect(listen({ app, host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
