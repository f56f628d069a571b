import { status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { message, startGateway, type TestGateway } from '../support/gateway.ts';
import { ask, hold, SUBSCRIPTIONS } from './grpc-rig.ts';

/** A connection that can be cut. */
async function startWire(target: string): Promise<{ address: string; cut(): void } & AsyncDisposable> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    const [host = '', port = ''] = target.split(':');
    const onward = createConnection({ host, port: Number(port) });
    for (const each of [socket, onward]) sockets.push(each.on('error', () => undefined));
    socket.pipe(onward).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
    },
  };
}

/** How many streams the gateway has open, and how many events they have asked for. */
function watchFollowers({ tasks }: TestGateway): { open: number; pulled: number } {
  const seen = { open: 0, pulled: 0 };
  const follow = tasks.follow.bind(tasks);
  tasks.follow = async function* (...args) {
    seen.open += 1;
    try {
      for await (const item of follow(...args)) {
        seen.pulled += 1;
        yield item;
      }
    } finally {
      seen.open -= 1;
    }
  };
  return seen;
}

describe.each(SUBSCRIPTIONS)('a stream of A2A %s over gRPC', (_version, { open, textOf }) => {
  it('ends with its call: cancelled, past its deadline, or with the connection gone', async () => {
    await using gateway = await startGateway({ grpc: {} });
    const followers = watchFollowers(gateway);
    const id = await hold(gateway);
    const start = async () => {
      const { call } = open(gateway, id);
      await once(call, 'data');
      await eventually(() => followers.open === 1 || undefined);
      return call;
    };
    (await start()).cancel();
    await eventually(() => followers.open === 0 || undefined);

    const { call: late, ended } = open(gateway, id, Date.now() + 500);
    late.resume();
    expect((await ended)?.code).toBe(status.DEADLINE_EXCEEDED);
    await eventually(() => followers.open === 0 || undefined);

    await using wire = await startWire(gateway.grpcAddress);
    const { call, ended: cut } = open({ grpcAddress: wire.address }, id);
    await once(call, 'data');
    wire.cut();
    expect((await cut)?.code).toBe(status.UNAVAILABLE);
    await eventually(() => followers.open === 0 || undefined);
    expect((await ask(gateway, 'GetTask', { id })).result.status.state).toBe('TASK_STATE_WORKING');
  });

  it('asks for no more than its reader takes', async () => {
    await using gateway = await startGateway({ grpc: {} });
    const followers = watchFollowers(gateway);
    const id = await hold(gateway);
    const { call, ended } = open(gateway, id);
    await once(call, 'data');
    call.pause();
    const { tasks } = gateway;
    for (let index = 1; index <= 300; index += 1) tasks.chunk(id, index, `${index} `.padEnd(32 * 1024, '.'));
    tasks.status(id, 'TASK_STATE_COMPLETED');
    let before = -1;
    await eventually(async () => {
      const isQuiet = followers.pulled === before;
      before = followers.pulled;
      await delay(100);
      return isQuiet || undefined;
    });
    expect(followers.pulled).toBeLessThan(100);
    const numbers: number[] = [];
    call.on('data', (event) => {
      const text = textOf(event);
      if (text !== undefined) numbers.push(Number.parseInt(text, 10));
    });
    call.resume();
    expect(await ended).toBeUndefined();
    expect(numbers).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
  });

  it('is given up when nobody reads it', async () => {
    await using gateway = await startGateway({ grpc: { stallMs: 200 } });
    const followers = watchFollowers(gateway);
    const id = await hold(gateway);
    const { call } = open(gateway, id);
    await once(call, 'data');
    call.pause();
    for (let index = 1; index <= 500; index += 1) gateway.tasks.chunk(id, index, 'x'.repeat(64 * 1024));
    await eventually(() => followers.open === 0 || undefined);
    call.cancel();
  });

  it('ends as unavailable when the gateway drains, and a call that waits is answered', async () => {
    await using gateway = await startGateway({ grpc: {} });
    const id = await hold(gateway);
    const { call, ended } = open(gateway, id);
    await once(call, 'data');
    const waiting = ask(gateway, 'SendMessage', { message: message('hold') });
    await eventually(() => gateway.begun.length === 2 || undefined);
    await gateway.grpcListener!.drain();
    expect((await ended)?.code).toBe(status.UNAVAILABLE);
    expect((await waiting).result.task.status.state).toMatch(/SUBMITTED|WORKING/);
    expect((await ask(gateway, 'GetTask', { id })).error?.code).toBe(status.UNAVAILABLE);
  });
});
