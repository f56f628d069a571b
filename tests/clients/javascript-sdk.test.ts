/** Another implementation of the protocol drives the product: gateway and worker as processes of their own. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Role, SendMessageRequest, TaskState } from '@a2a-js/sdk';
import type { Message, StreamResponse, Task } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';
import {
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import { describe, expect, it } from '@jest/globals';
import { sharedDeployment } from '../support/deployment.ts';
import { eventually } from '../support/eventually.ts';
import { message } from '../support/gateway.ts';
import { researchPublication } from './research-publication.ts';

const deployment = sharedDeployment({
  publications: await researchPublication({ allowedCallers: ['alice'] }),
  env: { LONGHAUL_EXAMPLE_PACE_MS: '0' },
});

/** The card, too, is asked for with the caller's token; nobody's has none. */
async function connect(caller = 'alice'): Promise<Client> {
  const token = caller === 'nobody' ? undefined : deployment().headers(caller)['Authorization'];
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    if (token !== undefined) headers.set('Authorization', token);
    return fetch(input, { ...init, headers });
  };
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- the SDK declares the class, and exports no value of it
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  });
  return new ClientFactory(options).createFromUrl(deployment().url());
}

function request(text: string, more: Record<string, unknown> = {}): SendMessageRequest {
  return SendMessageRequest.fromJSON({ message: message(text, more) });
}

/** Answered as soon as the task is there. */
function inBackground(text: string, more: Record<string, unknown> = {}): SendMessageRequest {
  return SendMessageRequest.fromJSON({
    message: message(text, more),
    configuration: { returnImmediately: true },
  });
}

const send = async (client: Client, sent: SendMessageRequest): Promise<Task> =>
  (await client.sendMessage(sent)) as Task;
const get = (client: Client, id: string): Promise<Task> => client.getTask({ tenant: '', id, historyLength: undefined });
const cancel = (client: Client, id: string): Promise<Task> =>
  client.cancelTask({ tenant: '', id, metadata: undefined });
const subscribe = (client: Client, id: string) => client.resubscribeTask({ tenant: '', id });

async function rest(stream: AsyncGenerator<StreamResponse, void>): Promise<StreamResponse[]> {
  const events: StreamResponse[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** Of a task, or of a status update. */
function stateOf(event: StreamResponse | undefined): TaskState | undefined {
  const { payload } = event ?? {};
  return payload?.$case === 'task' || payload?.$case === 'statusUpdate' ? payload.value.status?.state : undefined;
}

function textOf(parts: Task['artifacts'][number]['parts'] = []): string {
  return parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');
}

describe("the JavaScript SDK's client", () => {
  it('finds a card with its own skills, and none without credentials', async () => {
    const skills = async (caller: string): Promise<string[]> =>
      (await (await connect(caller)).getAgentCard()).skills.map(({ id }) => id);
    expect(await skills('alice')).toEqual(['stub', 'research']);
    expect(await skills('bob')).toEqual(['stub']);
    await expect(connect('nobody')).rejects.toThrow('401');
  });

  it('sends a message, waits for the end, and gets the same task again', async () => {
    const client = await connect();
    const task = await send(client, request('echo hello'));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(task.artifacts.map(({ parts }) => textOf(parts))).toEqual(['hello']);
    expect(task.history.map(({ role, parts }) => [role, textOf(parts)])).toEqual([[Role.ROLE_USER, 'echo hello']]);
    expect(await get(client, task.id)).toEqual(task);
  });

  it('gets a Message where the skill replies with one', async () => {
    const reply = (await (await connect()).sendMessage(request('reply hi'))) as Message;
    expect(reply).toMatchObject({ role: Role.ROLE_AGENT, parts: [{ content: { $case: 'text', value: 'hi' } }] });
  });

  it('is answered at once where it asks for that, and follows the task to its end', async () => {
    const client = await connect();
    const task = await send(client, inBackground('wait background'));
    expect([TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING]).toContain(task.status?.state);
    const stream = subscribe(client, task.id);
    expect((await stream.next()).value).toMatchObject({ payload: { $case: 'task', value: { id: task.id } } });
    await deployment().open('background');
    expect(stateOf((await rest(stream)).at(-1))).toBe(TaskState.TASK_STATE_COMPLETED);
    const done = await get(client, task.id);
    expect(textOf(done.artifacts[0]?.parts)).toBe('passed background');
  });

  it('streams to the end: the task, each piece once and in order, the last state', async () => {
    const client = await connect();
    const events = await rest(client.sendMessageStream(request('chunks 8 150')));
    const cases = events.map(({ payload }) => payload?.$case);
    expect(cases[0]).toBe('task');
    expect(cases.slice(1)).not.toContain('task');
    const text = events.reduce((before, { payload }) => {
      if (payload?.$case !== 'artifactUpdate') return before;
      const { append, artifact } = payload.value;
      return (append ? before : '') + textOf(artifact?.parts);
    }, '');
    expect(text).toBe('<1><2><3><4><5><6><7><8>');
    expect(stateOf(events.at(-1))).toBe(TaskState.TASK_STATE_COMPLETED);
    const [first] = events;
    const id = first?.payload?.$case === 'task' ? first.payload.value.id : '';
    expect(textOf((await get(client, id)).artifacts[0]?.parts)).toBe(text);
  });

  it("answers a question by the task's ID, whether it waited for it or streamed", async () => {
    const client = await connect();
    const asked = await send(client, request('ask'));
    expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(textOf(asked.status?.message?.parts)).toBe('What colour?');
    const done = await send(client, request('blue', { taskId: asked.id }));
    expect(done).toMatchObject({ id: asked.id, status: { state: TaskState.TASK_STATE_COMPLETED } });
    expect(textOf(done.artifacts[0]?.parts)).toBe('blue');

    const first = await rest(client.sendMessageStream(request('ask-twice')));
    expect(stateOf(first.at(-1))).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const taskId = first[0]?.payload?.$case === 'task' ? first[0].payload.value.id : '';
    const second = await rest(client.sendMessageStream(request('red', { taskId })));
    expect(stateOf(second.at(-1))).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const third = await rest(client.sendMessageStream(request('large', { taskId })));
    expect(stateOf(third.at(-1))).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(textOf((await get(client, taskId)).artifacts[0]?.parts)).toBe('red large');
  });

  it('subscribes to what another client has begun: from then on both see the same events', async () => {
    const [sender, watcher] = [await connect(), await connect()];
    const sent = sender.sendMessageStream(request('wait shared'));
    const begun = (await sent.next()).value?.payload;
    const id = begun?.$case === 'task' ? begun.value.id : '';
    // Both have seen that it works before anything else happens.
    await eventually(async () => (await get(sender, id)).status?.state === TaskState.TASK_STATE_WORKING);
    const watched = subscribe(watcher, id);
    const snapshot = (await watched.next()).value;
    expect(stateOf(snapshot ?? undefined)).toBe(TaskState.TASK_STATE_WORKING);
    await deployment().open('shared');
    const [seenBySender, seenByWatcher] = await Promise.all([rest(sent), rest(watched)]);
    expect(seenByWatcher).toEqual(seenBySender.slice(-seenByWatcher.length));
    expect(stateOf(seenByWatcher.at(-1))).toBe(TaskState.TASK_STATE_COMPLETED);
  });

  it('cancels: the work stops, the watcher is told, and a second cancel is refused', async () => {
    const [sender, watcher] = [await connect(), await connect()];
    const { id } = await send(sender, inBackground('sleep 600'));
    await eventually(async () => (await get(sender, id)).status?.state === TaskState.TASK_STATE_WORKING);
    const watched = subscribe(watcher, id);
    await watched.next();
    expect((await cancel(sender, id)).status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    expect(stateOf((await rest(watched)).at(-1))).toBe(TaskState.TASK_STATE_CANCELED);
    await expect(cancel(sender, id)).rejects.toThrow(TaskNotCancelableError);
  });

  it('cancels a task that waits for an answer', async () => {
    const client = await connect();
    const { id } = await send(client, request('ask'));
    expect((await cancel(client, id)).status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    await expect(client.sendMessage(request('too late', { taskId: id }))).rejects.toThrow(UnsupportedOperationError);
  });

  describe('is told of errors by their class', () => {
    const taskOfAlice = async (): Promise<string> => (await send(await connect(), request('echo mine'))).id;

    it.each([
      ['that does not exist', async () => 'stub-unknown'],
      ['of another caller', taskOfAlice],
    ])('about a task %s', async (_, idOf) => {
      const [client, id] = [await connect('bob'), await idOf()];
      await expect(get(client, id)).rejects.toThrow(TaskNotFoundError);
      await expect(cancel(client, id)).rejects.toThrow(TaskNotFoundError);
      await expect(subscribe(client, id).next()).rejects.toThrow(TaskNotFoundError);
      await expect(client.sendMessage(request('hello', { taskId: id }))).rejects.toThrow(TaskNotFoundError);
    });

    it('about a task that has ended', async () => {
      const [client, id] = [await connect(), await taskOfAlice()];
      await expect(cancel(client, id)).rejects.toThrow(TaskNotCancelableError);
      await expect(subscribe(client, id).next()).rejects.toThrow(UnsupportedOperationError);
      await expect(client.sendMessage(request('more', { taskId: id }))).rejects.toThrow(UnsupportedOperationError);
    });

    it('about a message without parts', async () => {
      const client = await connect();
      await expect(client.sendMessage(request('', { parts: [] }))).rejects.toThrow(RequestMalformedError);
    });
  });
});

describe('the research example, driven by the SDK', () => {
  const QUESTION = 'How do I keep a Temporal activity from running twice?';
  /** As the report's sources stand: ``3. `package/file.md:12` (package 1.2.3): “its words”``. */
  const SOURCE = /^(\d+)\. `(.+):(\d+)` \(.+\): “(.*)”$/gm;

  it('goes from question to report: asks its caller, is reviewed by an operator, and cites lines that are there', async () => {
    const [client, watcher] = [await connect(), await connect()];
    const asked = await send(client, request(QUESTION, { metadata: { skillHint: 'research' } }));
    expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(textOf(asked.status?.message?.parts)).toContain('Which packages should I search?');

    const watched = subscribe(watcher, asked.id);
    await watched.next();
    const answered = await send(client, inBackground('@temporalio', { taskId: asked.id }));
    expect(answered.id).toBe(asked.id);
    const requestId = await eventually(() => openQuestion(asked.id));
    // Not the caller's to answer: to the caller the task works.
    expect((await get(client, asked.id)).status?.state).toBe(TaskState.TASK_STATE_WORKING);
    expect((await answerAsOperator(requestId, 'accept')).status).toBe(200);
    expect(stateOf((await rest(watched)).at(-1))).toBe(TaskState.TASK_STATE_COMPLETED);

    const { artifacts } = await get(client, asked.id);
    const content = artifacts.find(({ name }) => name === 'report.md')?.parts[0]?.content;
    const url = content?.$case === 'url' ? content.value : '';
    expect((await fetch(url)).status).toBe(401);
    expect((await fetch(url, { headers: deployment().headers('bob') })).status).toBe(404);
    const download = await fetch(url, { headers: deployment().headers('alice') });
    expect(download.headers.get('Content-Type')).toMatch(/^text\/markdown/);
    const report = await download.text();
    expect(report).toContain(`# ${QUESTION}`);
    await expectCitationsToResolve(report);
  }, 120_000);

  async function openQuestion(taskId: string): Promise<string | undefined> {
    const response = await fetch(`${deployment().operatorUrl()}/api/pending`);
    const { questions } = (await response.json()) as { questions: { taskId: string; requestId: string }[] };
    return questions.find((question) => question.taskId === taskId)?.requestId;
  }

  function answerAsOperator(requestId: string, answer: string): Promise<Response> {
    return fetch(`${deployment().operatorUrl()}/api/a2a/input`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ requestId, answer }),
    });
  }

  /** Reads the files with nothing of the example's own code. */
  async function expectCitationsToResolve(report: string): Promise<void> {
    const sources = [...report.matchAll(SOURCE)];
    expect(sources.length).toBeGreaterThan(3);
    for (const [, number, file = '', line = '', quote = ''] of sources) {
      expect(report.split('## Sources')[0]).toContain(`[${number}]`);
      const text = await readFile(join(import.meta.dirname, '../../node_modules', file), 'utf8');
      expect(text.split(/\r?\n/)[Number(line) - 1]).toContain(quote);
    }
  }
});
