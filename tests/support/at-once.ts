/** What is sent at the same moment, or in a row, over several gateways: one round each, for the quick and the long tests. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Message, Task } from '../../src/domain/a2a.ts';
import type { Deployment, SendOptions } from './deployment.ts';
import type { RpcAnswer } from './gateway.ts';

const REFUSED = { code: -32004, data: [{ reason: 'UNSUPPORTED_OPERATION' }] };

/** B03: twenty identical blocking sends are one task, and nobody sees that others were faster. */
export async function sendTwentyAtOnce(deployment: Deployment, gateways: number, text: string): Promise<void> {
  const messageId = randomUUID();
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      deployment.send(text, { message: { messageId }, gateway: index % gateways }),
    ),
  );
  for (const { status, body } of replies) {
    expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
    expect(body.result.task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(body.result.task).toEqual(replies[0]?.body.result.task);
  }
  expect(await deployment.calls({ messageId })).toMatchObject([{ event: 'run' }, { event: 'returned' }]);
}

/** B25: of two different answers at once, the one that history has first is heard, and the other is refused. */
export async function answerTwiceAtOnce(deployment: Deployment): Promise<void> {
  const asked = (await deployment.send('ask')).body.result.task as Task;
  expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  const words = [`left ${asked.id}`, `right ${asked.id}`];
  const replies = await Promise.all(
    words.map((word, gateway) => deployment.send(word, { gateway, message: { taskId: asked.id } })),
  );

  const winner = replies.findIndex(({ body }) => body.result !== undefined);
  expect(replies[winner]?.body.result.task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(replies[1 - winner]?.body.error).toMatchObject(REFUSED);
  const finished = await deployment.task(asked.id);
  expect(finished.artifacts?.[0]?.parts[0]?.text).toBe(words[winner]);
  expect(saidIn(finished)).toEqual(['ask', words[winner]]);
  const heard = (await deployment.calls({ event: 'heard' })).filter(({ text }) => words.includes(text));
  expect(heard.map(({ text }) => text)).toEqual([words[winner]]);
}

/** B25: to a stage that takes no follow-ups, every message is refused, and none of them is ever an answer. */
export async function sendFiveThatAreRefused(deployment: Deployment): Promise<void> {
  const gate = `refusing-${randomUUID()}`;
  const { id } = await startNow(deployment, `wait ${gate}`);
  await deployment.reaches(id, 'TASK_STATE_WORKING');
  for (let number = 1; number <= 5; number += 1) {
    const reply = await sendNow(deployment, `no ${number}`, { gateway: number % 2, message: { taskId: id } });
    expect(reply.body.error).toMatchObject({ ...REFUSED, data: [{ metadata: { category: 'not-waiting' } }] });
  }
  await deployment.open(gate);
  expect(saidIn(await deployment.reaches(id, 'TASK_STATE_COMPLETED'))).toEqual([`wait ${gate}`]);
}

/**
 * B25: to a stage that takes follow-ups, five in a row over two gateways, and five more at once, are each taken once, stand in
 * history as they were accepted, and are read by one turn of the stage after the other.
 */
export async function sendFiveThatAreQueued(deployment: Deployment): Promise<void> {
  const gate = `following-${randomUUID()}`;
  const { id } = await startNow(deployment, gate, { message: { metadata: { skillHint: 'following' } } });
  await deployment.reaches(id, 'TASK_STATE_WORKING');
  const send = (word: string, gateway: number): Promise<RpcAnswer> =>
    sendNow(deployment, word, { gateway, message: { taskId: id } });
  const inARow = [1, 2, 3, 4, 5].map((number) => `row ${number}`);
  for (const [index, word] of inARow.entries()) expect((await send(word, index % 2)).body.error).toBeUndefined();
  const atOnce = [1, 2, 3, 4, 5].map((number) => `crowd ${number}`);
  for (const { body } of await Promise.all(atOnce.map((word, index) => send(word, index % 2)))) {
    expect(body.error).toBeUndefined();
  }
  await deployment.open(gate);

  const finished = await deployment.reaches(id, 'TASK_STATE_COMPLETED');
  const said = saidIn(finished);
  expect(said.slice(0, 6)).toEqual([gate, ...inARow]);
  expect(said.slice(6).sort()).toEqual(atOnce);
  expect(finished.artifacts?.[0]?.parts[0]?.text).toBe(saidIn(finished).slice(1).join(', '));
  const lines = (await readFile(join(deployment.folder, 'turns.log'), 'utf8')).split('\n');
  const turns = lines.filter((line) => line.endsWith(gate)).map((line) => line.split(' ')[0]);
  expect(turns.length).toBeGreaterThanOrEqual(4); // the first turn had read nothing yet
  expect(turns).toEqual(turns.map((_, index) => (index % 2 === 0 ? 'begins' : 'ends')));
}

/** The publication that `sendFiveThatAreQueued` needs; its file is `tests/fixtures/following-executor.ts`. */
export const FOLLOWING = `- id: following
  name: Following
  description: Repeats what it is told meanwhile.
  executor: { kind: function, module: ./following.ts, export: following }
  follow_ups: true
  allowed_callers: [alice]`;

async function startNow(deployment: Deployment, text: string, options: SendOptions = {}): Promise<Task> {
  return (await sendNow(deployment, text, options)).body.result.task as Task;
}

function sendNow(deployment: Deployment, text: string, options: SendOptions): Promise<RpcAnswer> {
  return deployment.send(text, { ...options, configuration: { returnImmediately: true } });
}

/** The caller's messages, in the order of the task's history. */
function saidIn({ history = [] }: { readonly history?: readonly Message[] }): string[] {
  return history.filter(({ role }) => role === 'ROLE_USER').map(({ parts }) => parts[0]?.text ?? '');
}
