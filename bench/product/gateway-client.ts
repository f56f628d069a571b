import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventStream, OnEvent } from '../http/event-stream.ts';
import { openEventStream } from '../http/event-stream.ts';
import { createJsonClient } from '../http/json-client.ts';

export interface TaskAnswer {
  readonly id: string;
  readonly status: { readonly state: string };
}

/** A caller of one gateway. */
export interface GatewayClient extends Disposable {
  /** SendMessage with `returnImmediately`. */
  submit(skill: string, text?: string): Promise<TaskAnswer>;
  /** SendMessage that waits for the end. */
  run(skill: string, text?: string): Promise<TaskAnswer>;
  getTask(id: string): Promise<TaskAnswer>;
  /** SendMessage to the task, which asks; returns when it has taken the answer. */
  answer(id: string): Promise<TaskAnswer>;
  subscribe(id: string, onEvent?: OnEvent): Promise<EventStream>;
}

const UNFINISHED: readonly string[] = ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING'];
const EARLY_RETRY_MS = 250;

export function createGatewayClient(origin: string, token: string): GatewayClient {
  const headers = { Authorization: `Bearer ${token}`, 'A2A-Version': '1.0' };
  const http = createJsonClient(headers);
  const url = `${origin}/a2a`;

  async function call(method: string, params: unknown): Promise<TaskAnswer> {
    const { result, error } = (await http.post(url, { jsonrpc: '2.0', id: 1, method, params })) as {
      result?: TaskAnswer | { task: TaskAnswer };
      error?: unknown;
    };
    if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return 'task' in result ? result.task : result;
  }

  const send = (message: object, text: string, returnImmediately: boolean): Promise<TaskAnswer> =>
    call('SendMessage', {
      message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...message },
      configuration: { returnImmediately },
    });

  return {
    submit: (skill, text = 'hello') => send({ metadata: { skillHint: skill } }, text, true),
    async run(skill, text = 'hello') {
      let task = await send({ metadata: { skillHint: skill } }, text, false);
      // Sent back early, because no worker seemed to be there: a client asks on, and the time counts.
      while (UNFINISHED.includes(task.status.state)) {
        process.stderr.write(`bench: a blocking call came back early, with ${task.status.state}\n`);
        await delay(EARLY_RETRY_MS);
        task = await call('GetTask', { id: task.id });
      }
      const { state } = task.status;
      if (state !== 'TASK_STATE_COMPLETED') throw new Error(`Task ${task.id} should have completed, and is ${state}`);
      return task;
    },
    getTask: (id) => call('GetTask', { id }),
    answer: (taskId) => send({ taskId }, 'yes', true),
    subscribe: (id, onEvent) =>
      openEventStream(url, headers, { jsonrpc: '2.0', id: 1, method: 'SubscribeToTask', params: { id } }, onEvent),
    [Symbol.dispose]: () => http[Symbol.dispose](),
  };
}
