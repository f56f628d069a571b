import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { createCheckedFetch } from '../../../src/cli/client/checked-fetch.ts';
import type { FollowItem } from '../../../src/cli/client/follow-task.ts';
import { followTask } from '../../../src/cli/client/follow-task.ts';
import type { StreamResponse, Task, TaskState } from '../../../src/domain/a2a.ts';

const task = (state: TaskState): Task => ({
  id: 't',
  contextId: 'c',
  status: { state, timestamp: '2026-01-01T00:00:00.000Z' },
});
const update = (state: TaskState): StreamResponse => ({
  statusUpdate: { taskId: 't', contextId: 'c', status: task(state).status },
});

type Turn = (res: ServerResponse, req: IncomingMessage) => void;

/** A gateway that answers each subscription with the next of the turns. */
async function startGateway(...turns: readonly Turn[]) {
  const lastEventIds: (string | undefined)[] = [];
  const server = createServer((req, res) => {
    const turn = turns[lastEventIds.length];
    lastEventIds.push(req.headers['last-event-id'] as string | undefined);
    if (turn === undefined) res.writeHead(500).end();
    else turn(res, req);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const follow = (): AsyncGenerator<FollowItem> =>
    followTask({
      url,
      taskId: 't',
      fetchImpl: createCheckedFetch({ url, tokenHint: 'TOKEN' }),
      getTask: () => Promise.resolve(task('TASK_STATE_COMPLETED')),
      signal: new AbortController().signal,
    });
  return {
    lastEventIds,
    follow,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

/** Sends events as SSE, with IDs from `first` on, then ends or cuts the connection. */
function stream(first: number, events: readonly StreamResponse[], end: 'end' | 'cut'): Turn {
  return (res) => {
    res.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const frames = events.map(
      (result, index) => `id: run.${first + index}.0\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result })}\n\n`,
    );
    res.write(`: hello\n\n${frames.join('')}`, () => (end === 'end' ? res.end() : res.destroy()));
  };
}

const unavailable: Turn = (res) =>
  res
    .writeHead(503, { 'Content-Type': 'application/json' })
    .end('{"error":{"code":-32000,"message":"Temporal is away"}}');
const rpcError =
  (code: number, message: string): Turn =>
  (res) =>
    res
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message } }));

async function collect(items: AsyncIterable<FollowItem>): Promise<FollowItem[]> {
  const collected: FollowItem[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

it.each(['end', 'cut'] as const)('takes a stream up where it was, when the gateway lets it %s', async (how) => {
  await using gateway = await startGateway(
    stream(1, [{ task: task('TASK_STATE_WORKING') }, update('TASK_STATE_WORKING')], how),
    unavailable,
    stream(3, [update('TASK_STATE_COMPLETED')], 'end'),
  );
  expect(await collect(gateway.follow())).toEqual([
    { event: { task: task('TASK_STATE_WORKING') } },
    { event: update('TASK_STATE_WORKING') },
    { cut: expect.any(String) },
    { resumed: true },
    { event: update('TASK_STATE_COMPLETED') },
  ]);
  expect(gateway.lastEventIds).toEqual([undefined, 'run.2.0', 'run.2.0']);
});

it('shows a task that has ended, which has no stream any more', async () => {
  await using gateway = await startGateway(rpcError(-32004, 'The task has ended'));
  expect(await collect(gateway.follow())).toEqual([{ event: { task: task('TASK_STATE_COMPLETED') } }]);
});

it('does not wait for a gateway that was not there to begin with, nor for a task that is not there', async () => {
  await using gateway = await startGateway(unavailable, rpcError(-32001, 'Task not found'));
  await expect(collect(gateway.follow())).rejects.toMatchObject({ exitCode: 5, message: 'Temporal is away.' });
  await expect(collect(gateway.follow())).rejects.toMatchObject({ exitCode: 4, message: 'Task not found.' });
});
