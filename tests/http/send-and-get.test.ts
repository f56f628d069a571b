import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rpc, send, startGateway, type TestGateway } from '../support/gateway.ts';

describe('sending and reading over JSON-RPC', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
  });

  it('answers a blocking send with the finished task', async () => {
    const { status, body } = await send(gateway, 'echo hello');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      jsonrpc: '2.0',
      id: 7,
      result: { task: { status: { state: 'TASK_STATE_COMPLETED' } } },
    });
    expect(body.result.task.artifacts).toEqual([
      { artifactId: 'answer', name: 'answer', parts: [{ text: 'hello', mediaType: 'text/plain' }] },
    ]);
  });

  it('answers returnImmediately with a task that still works', async () => {
    const { body } = await send(gateway, 'hold', { configuration: { returnImmediately: true } });
    expect(body.result.task.status.state).toBe('TASK_STATE_WORKING');
    const read = await rpc(gateway.url, 'GetTask', { id: body.result.task.id });
    expect(read.body.result).toEqual(body.result.task);
  });
});
