import { Role, SendMessageRequest, TaskState } from '@a2a-js/sdk';
import type { Message, Task } from '@a2a-js/sdk';
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { TaskNotCancelableError, TaskNotFoundError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import { describe, expect, it } from '@jest/globals';
import { HEADERS, message } from '../support/gateway.ts';
import { sharedGateway } from '../support/shared-gateway.ts';

describe.each([
  ['JSON-RPC', JsonRpcTransportFactory],
  ['HTTP+JSON', RestTransportFactory],
])("the JavaScript SDK's own client over %s", (_name, TransportFactory) => {
  const gateway = sharedGateway();

  async function connect() {
    const { url } = gateway();
    /** The card names the public URL, as behind a proxy: here the proxy. */
    const fetchImpl: typeof fetch = (input, init) => {
      const address = (input instanceof Request ? input.url : String(input)).replace(
        'https://agents.example.com/base',
        url,
      );
      const headers = new Headers(init?.headers);
      headers.set('Authorization', HEADERS.Authorization);
      return fetch(address, { ...init, headers });
    };
    // No other transport is at hand: the card lists both.
    const factory = new ClientFactory({
      // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- the SDK declares the class, and exports no value of it
      transports: [new TransportFactory({ fetchImpl })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    });
    return factory.createFromUrl(url);
  }

  const request = (text: string, more: Record<string, unknown> = {}) =>
    SendMessageRequest.fromJSON({ message: message(text, more) });

  it('sends, reads and is told of errors by their class', async () => {
    const client = await connect();
    const task = (await client.sendMessage(request('echo hello'))) as Task;
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(task.artifacts[0]?.parts[0]?.content).toEqual({ $case: 'text', value: 'hello' });
    expect(await client.getTask({ tenant: '', id: task.id, historyLength: undefined })).toEqual(task);
    await expect(client.getTask({ tenant: '', id: 'unknown', historyLength: undefined })).rejects.toThrow(
      TaskNotFoundError,
    );
    await expect(client.cancelTask({ tenant: '', id: task.id, metadata: undefined })).rejects.toThrow(
      TaskNotCancelableError,
    );
  });

  it('gets a Message where the skill replies with one', async () => {
    const reply = (await (await connect()).sendMessage(request('reply hi'))) as Message;
    expect(reply).toMatchObject({ role: Role.ROLE_AGENT, parts: [{ content: { $case: 'text', value: 'hi' } }] });
  });

  it('streams, answers a question, and streams to the end', async () => {
    const client = await connect();
    const states: (TaskState | undefined)[] = [];
    let id = '';
    for await (const { payload } of client.sendMessageStream(request('ask'))) {
      if (payload?.$case === 'task') id = payload.value.id;
      if (payload?.$case === 'task' || payload?.$case === 'statusUpdate') states.push(payload.value.status?.state);
    }
    expect(states.at(-1)).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const done = (await client.sendMessage(request('blue', { taskId: id }))) as Task;
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(done.history.map(({ role }) => role)).toEqual([Role.ROLE_USER, Role.ROLE_AGENT, Role.ROLE_USER]);
  });

  it('subscribes to a task and sees it cancelled', async () => {
    const client = await connect();
    const held = SendMessageRequest.fromJSON({ message: message('hold'), configuration: { returnImmediately: true } });
    const { id } = (await client.sendMessage(held)) as Task;
    const stream = client.resubscribeTask({ tenant: '', id });
    const first = await stream.next();
    expect(first.value?.payload?.$case).toBe('task');
    const canceled = await client.cancelTask({ tenant: '', id, metadata: undefined });
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    const last = [];
    for await (const event of stream) last.push(event);
    expect(last.at(-1)?.payload).toMatchObject({
      $case: 'statusUpdate',
      value: { status: { state: TaskState.TASK_STATE_CANCELED } },
    });
    await expect(client.resubscribeTask({ tenant: '', id }).next()).rejects.toThrow(UnsupportedOperationError);
  });

  it('gets the extended card', async () => {
    const card = await (await connect()).getAgentCard();
    expect(card.skills.map(({ id }) => id)).toEqual(['echo', 'shared']);
  });
});
