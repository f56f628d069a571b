/** A2A 0.3 by a client that knows nothing else, over each binding: what it may do and is told is the same. */
import { randomUUID } from 'node:crypto';
import type { Message, MessageSendParams, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from 'a2a-js-sdk-03';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  TaskNotCancelableError,
  TaskNotFoundError,
  type TransportFactory,
  UnsupportedOperationError,
} from 'a2a-js-sdk-03/client';
import { GrpcTransportFactory } from 'a2a-js-sdk-03/client/grpc';
import { describe, expect, it } from '@jest/globals';
import { rpc } from '../support/gateway.ts';
import { sharedGateway } from '../support/shared-gateway.ts';

type Event = Message | Task | TaskStatusUpdateEvent | TaskArtifactUpdateEvent;

const TRANSPORTS: readonly (readonly [name: string, create: (fetchImpl: typeof fetch) => TransportFactory])[] = [
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- the SDK declares the class, and exports no value of it
  ['JSON-RPC', (fetchImpl) => new JsonRpcTransportFactory({ fetchImpl })],
  ['HTTP+JSON', (fetchImpl) => new RestTransportFactory({ fetchImpl })],
  ['gRPC', () => new GrpcTransportFactory()],
];

describe.each(TRANSPORTS)('a client of A2A 0.3 over %s', (name, createTransport) => {
  const gateway = sharedGateway({ grpc: {} });

  async function connect(caller = 'alice'): Promise<Client> {
    const credentials = { Authorization: `Bearer ${caller}-token` };
    const withHeaders =
      (more: Record<string, string>): typeof fetch =>
      (input, init) => {
        // The card names the public URL, as behind a proxy.
        const address = (input instanceof Request ? input.url : String(input)).replace(
          'https://agents.example.com/base',
          gateway().url,
        );
        const headers = new Headers(init?.headers);
        for (const [key, value] of Object.entries({ ...credentials, ...more })) headers.set(key, value);
        return fetch(address, { ...init, headers });
      };
    return new ClientFactory({
      transports: [createTransport(withHeaders({}))],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl: withHeaders({ 'A2A-Version': '0.3' }) }),
      clientConfig: {
        interceptors: [
          {
            before: async (args) => {
              args.options = { ...args.options, serviceParameters: credentials };
            },
            after: async () => undefined,
          },
        ],
      },
    }).createFromUrl(gateway().url);
  }

  const request = (text: string, more: Partial<Message> = {}): MessageSendParams => ({
    message: { kind: 'message', messageId: randomUUID(), role: 'user', parts: [{ kind: 'text', text }], ...more },
  });
  const inBackground = (text: string): MessageSendParams => ({ ...request(text), configuration: { blocking: false } });
  const send = async (client: Client, params: MessageSendParams): Promise<Task> =>
    (await client.sendMessage(params)) as Task;
  const rest = async (stream: AsyncGenerator<Event, void>): Promise<Event[]> => {
    const events: Event[] = [];
    for await (const event of stream) events.push(event);
    return events;
  };

  it('sends a message, waits for the end, and gets the same task again', async () => {
    const client = await connect();
    const metadata = { list: [1, { deep: true }] };
    const task = await send(client, request('echo hello', { metadata }));
    expect(task).toMatchObject({
      kind: 'task',
      status: { state: 'completed', timestamp: expect.stringMatching(/\.\d{3}Z$/) },
      artifacts: [{ artifactId: 'answer', parts: [{ kind: 'text', text: 'hello' }] }],
      history: [{ role: 'user', parts: [{ text: 'echo hello' }], metadata }],
    });
    expect(await client.getTask({ id: task.id })).toEqual(task);
  });

  it('sees the same task as a client of 1.0', async () => {
    const { id, contextId } = await send(await connect(), request('ask'));
    const { body } = await rpc(gateway().url, 'GetTask', { id });
    expect(body.result).toMatchObject({
      id,
      contextId,
      status: {
        state: 'TASK_STATE_INPUT_REQUIRED',
        message: { role: 'ROLE_AGENT', parts: [{ text: 'Which colour?' }, {}] },
      },
      history: [{ role: 'ROLE_USER', parts: [{ text: 'ask' }] }],
    });
    expect((await (await connect()).getTask({ id })).status).toMatchObject({
      state: 'input-required',
      message: { role: 'agent', parts: [{ kind: 'text', text: 'Which colour?' }, { kind: 'data' }] },
    });
  });

  it('gets a message where the skill replies with one', async () => {
    const reply = (await (await connect()).sendMessage(request('reply hi'))) as Message;
    expect(reply).toMatchObject({ kind: 'message', role: 'agent', parts: [{ kind: 'text', text: 'hi' }] });
  });

  it('streams to the question, whose event is the final one, and to the end', async () => {
    const client = await connect();
    const asked = await rest(client.sendMessageStream(request('ask-twice')));
    const [first] = asked as [Task];
    expect(first.kind).toBe('task');
    if (asked.length > 1)
      expect(asked.at(-1)).toMatchObject({ kind: 'status-update', final: true, status: { state: 'input-required' } });
    const again = await rest(client.sendMessageStream(request('one', { taskId: first.id })));
    expect(again.at(-1)).toMatchObject({
      status: { state: 'input-required', message: { parts: [{ text: 'Second?' }, {}] } },
    });
    const done = await send(client, request('two', { taskId: first.id }));
    expect(done).toMatchObject({
      id: first.id,
      status: { state: 'completed' },
      artifacts: [{ parts: [{ text: 'two' }] }],
    });
  });

  it('is answered at once where it does not wait, and watches: each event once and in order, and a final one', async () => {
    const client = await connect();
    const { id, status } = await send(client, inBackground('hold'));
    expect(status.state).toBe('working');
    const stream = client.resubscribeTask({ id });
    expect((await stream.next()).value).toMatchObject({ kind: 'task', id });
    const { tasks } = gateway();
    for (let index = 1; index <= 20; index += 1) tasks.chunk(id, index, `<${index}>`);
    tasks.ask(id, 'Which?');
    tasks.status(id, 'TASK_STATE_COMPLETED');
    tasks.close(id, 'completed');
    const events = await rest(stream);
    const texts = events.flatMap((event) =>
      event.kind === 'artifact-update'
        ? [event.artifact.parts[0]?.kind === 'text' && event.artifact.parts[0].text]
        : [],
    );
    expect(texts).toEqual(Array.from({ length: 20 }, (_, index) => `<${index + 1}>`));
    expect(events.at(-1)).toMatchObject({ kind: 'status-update', final: true, status: { state: 'completed' } });
    // A question is no end to a watcher.
    expect(events.at(-2)).toMatchObject({ final: false, status: { state: 'input-required' } });
  });

  /** What a stream fails with; within a stream of JSON-RPC the client wraps it. */
  const failureOf = async (stream: AsyncGenerator<Event, void>): Promise<unknown> => {
    const [result] = await Promise.allSettled([stream.next()]);
    const error: unknown = result.status === 'rejected' ? result.reason : undefined;
    return name === 'JSON-RPC' && error instanceof Error ? error.cause : error;
  };

  it('cancels once', async () => {
    const client = await connect();
    const { id } = await send(client, inBackground('hold'));
    expect((await client.cancelTask({ id })).status.state).toBe('canceled');
    await expect(client.cancelTask({ id })).rejects.toThrow(TaskNotCancelableError);
    expect(await failureOf(client.resubscribeTask({ id }))).toBeInstanceOf(UnsupportedOperationError);
  });

  it('registers, gets, lists and deletes webhooks', async () => {
    const client = await connect();
    const { id: taskId } = await send(client, inBackground('hold'));
    const pushNotificationConfig = {
      id: 'hook',
      url: 'https://example.com/hook',
      token: 'tok',
      authentication: { schemes: ['Bearer'], credentials: 's' },
    };
    const config = { taskId, pushNotificationConfig };
    const name = { id: taskId, pushNotificationConfigId: 'hook' };
    expect(await client.setTaskPushNotificationConfig(config)).toMatchObject(config);
    expect(await client.getTaskPushNotificationConfig(name)).toMatchObject(config);
    expect(await client.listTaskPushNotificationConfig({ id: taskId })).toMatchObject([config]);
    await client.deleteTaskPushNotificationConfig(name);
    expect(await client.listTaskPushNotificationConfig({ id: taskId })).toEqual([]);
    await expect(client.getTaskPushNotificationConfig(name)).rejects.toThrow(TaskNotFoundError);
  });

  it("does not see another caller's task", async () => {
    const { id } = await send(await connect(), inBackground('hold'));
    const bob = await connect('bob');
    await expect(bob.getTask({ id })).rejects.toThrow(TaskNotFoundError);
    await expect(bob.cancelTask({ id })).rejects.toThrow(TaskNotFoundError);
    expect(await failureOf(bob.resubscribeTask({ id }))).toBeInstanceOf(TaskNotFoundError);
  });

  it('is told what is wrong with a message', async () => {
    const client = await connect();
    await expect(client.sendMessage(request('x', { parts: [] }))).rejects.toThrow(/message\.parts/);
    await expect(client.sendMessage(request('x', { messageId: '' }))).rejects.toThrow(/messageId/);
    await expect(client.sendMessageStream(request('x', { parts: [] })).next()).rejects.toThrow(/message\.parts/);
  });

  it('gets data and files as they are', async () => {
    const client = await connect();
    const parts: Message['parts'] = [
      { kind: 'text', text: 'hold' },
      // This client cannot write a null over gRPC.
      { kind: 'data', data: { ...(name !== 'gRPC' && { n: null }), x: 0.1, list: [[]] } },
      { kind: 'file', file: { bytes: 'AAEC', mimeType: 'image/png' } },
      { kind: 'file', file: { uri: 'https://example.com/a.png', mimeType: 'image/png' } },
    ];
    const { id } = await send(client, { ...request('', { parts }), configuration: { blocking: false } });
    expect((await client.getTask({ id })).history?.[0]?.parts).toMatchObject(parts);
  });

  it('reads the card, extended, in the form of 0.3', async () => {
    const card = await (await connect('bob')).getAgentCard();
    expect(card).toMatchObject({
      protocolVersion: '0.3',
      preferredTransport: 'JSONRPC',
      url: 'https://agents.example.com/base/a2a',
      supportsAuthenticatedExtendedCard: true,
      skills: [{ id: 'shared' }],
      securitySchemes: {
        bearer: { type: 'http', scheme: 'Bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
      security: [{ bearer: [] }, { apiKey: [] }],
    });
    const transports = card.additionalInterfaces?.map(({ transport }) => transport);
    expect(transports).toEqual(expect.arrayContaining(['HTTP+JSON', 'GRPC']));
  });
});
