/** A client that knows A2A 0.3 alone drives the product: gateway and worker as processes of their own. */
import { randomUUID } from 'node:crypto';
import type { Message, MessageSendParams, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from 'a2a-js-sdk-03';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  TaskNotCancelableError,
  TaskNotFoundError,
} from 'a2a-js-sdk-03/client';
import { describe, expect, it } from '@jest/globals';
import { sharedDeployment } from '../support/deployment.ts';
import { eventually } from '../support/eventually.ts';

type Event = Message | Task | TaskStatusUpdateEvent | TaskArtifactUpdateEvent;

const deployment = sharedDeployment();

async function connect(caller = 'alice'): Promise<Client> {
  const token = deployment().headers(caller)['Authorization'] ?? '';
  const withHeaders =
    (more: Record<string, string>): typeof fetch =>
    (input, init) => {
      const headers = new Headers(init?.headers);
      for (const [name, value] of Object.entries({ Authorization: token, ...more })) headers.set(name, value);
      return fetch(input, { ...init, headers });
    };
  return new ClientFactory({
    // Calls name no version, as it was in 0.3; the card of 0.3 is asked for by its version.
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- as in javascript-sdk.test.ts
    transports: [new JsonRpcTransportFactory({ fetchImpl: withHeaders({}) })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl: withHeaders({ 'A2A-Version': '0.3' }) }),
  }).createFromUrl(deployment().url());
}

function request(text: string, more: Partial<Message> = {}): MessageSendParams {
  return {
    message: { kind: 'message', messageId: randomUUID(), role: 'user', parts: [{ kind: 'text', text }], ...more },
  };
}

const inBackground = (text: string): MessageSendParams => ({ ...request(text), configuration: { blocking: false } });

const send = async (client: Client, params: MessageSendParams): Promise<Task> =>
  (await client.sendMessage(params)) as Task;

async function rest(stream: AsyncGenerator<Event, void>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

function stateOf(event: Event | undefined): string | undefined {
  return event?.kind === 'task' || event?.kind === 'status-update' ? event.status.state : undefined;
}

const textOf = (parts: Message['parts'] = []): string =>
  parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');

describe('a client of A2A 0.3', () => {
  it('sends a message, waits for the end, and gets the same task again', async () => {
    const client = await connect();
    const task = await send(client, request('echo hello'));
    expect(task.status.state).toBe('completed');
    expect(task.artifacts?.map(({ parts }) => textOf(parts))).toEqual(['hello']);
    expect(await client.getTask({ id: task.id })).toEqual(task);
  });

  it('gets a message where the skill replies with one', async () => {
    const reply = (await (await connect()).sendMessage(request('reply hi'))) as Message;
    expect([reply.kind, reply.role, textOf(reply.parts)]).toEqual(['message', 'agent', 'hi']);
  });

  it('streams to the end: the task, each piece once and in order, a final state', async () => {
    const events = await rest((await connect()).sendMessageStream(request('chunks 8 150')));
    expect(events[0]?.kind).toBe('task');
    const text = events.reduce(
      (before, event) =>
        event.kind === 'artifact-update' ? (event.append ? before : '') + textOf(event.artifact.parts) : before,
      '',
    );
    expect(text).toBe('<1><2><3><4><5><6><7><8>');
    expect(events.at(-1)).toMatchObject({ kind: 'status-update', final: true, status: { state: 'completed' } });
  });

  it('answers a question, whether it waited for it or streamed', async () => {
    const client = await connect();
    const asked = await send(client, request('ask'));
    expect(asked.status.state).toBe('input-required');
    expect(textOf(asked.status.message?.parts)).toBe('What colour?');
    const done = await send(client, request('blue', { taskId: asked.id }));
    expect(textOf(done.artifacts?.[0]?.parts)).toBe('blue');

    const events = await rest(client.sendMessageStream(request('ask')));
    expect(stateOf(events.at(-1))).toBe('input-required');
    const taskId = events[0]?.kind === 'task' ? events[0].id : '';
    const answered = await rest(client.sendMessageStream(request('red', { taskId })));
    expect(stateOf(answered.at(-1))).toBe('completed');
  });

  it('is answered at once where it does not wait, and follows the task to its end', async () => {
    const client = await connect();
    const { id, status } = await send(client, inBackground('wait legacy'));
    expect(['submitted', 'working']).toContain(status.state);
    const stream = client.resubscribeTask({ id });
    expect((await stream.next()).value).toMatchObject({ kind: 'task', id });
    await deployment().open('legacy');
    expect(stateOf((await rest(stream)).at(-1))).toBe('completed');
  });

  it('cancels: the watcher is told, and a second cancel is refused', async () => {
    const client = await connect();
    const { id } = await send(client, inBackground('sleep 600'));
    await eventually(async () => (await client.getTask({ id })).status.state === 'working');
    const watched = client.resubscribeTask({ id });
    await watched.next();
    expect((await client.cancelTask({ id })).status.state).toBe('canceled');
    expect(stateOf((await rest(watched)).at(-1))).toBe('canceled');
    await expect(client.cancelTask({ id })).rejects.toThrow(TaskNotCancelableError);
  });

  it("does not see another caller's task", async () => {
    const { id } = await send(await connect(), request('echo mine'));
    const bob = await connect('bob');
    await expect(bob.getTask({ id })).rejects.toThrow(TaskNotFoundError);
    await expect(bob.cancelTask({ id })).rejects.toThrow(TaskNotFoundError);
  });
});
