import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { RawOperations } from './operations.ts';
import type { OperationName, RawAnswer, RawPlace } from './protocol.ts';

/** The raw client's process. */
export interface Raw extends AsyncDisposable {
  readonly pid: number;
  ask<Name extends OperationName>(
    name: Name,
    options: Parameters<RawOperations[Name]>[0],
  ): Promise<Awaited<ReturnType<RawOperations[Name]>>>;
}

export async function startRaw(place: RawPlace): Promise<Raw> {
  const child = fork(fileURLToPath(new URL('process.ts', import.meta.url)), [JSON.stringify(place)]);
  const exited = once(child, 'exit');
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const ended = exited.then(([code]) => {
    const error = new Error(`The process of the raw client has ended (${String(code)})`);
    for (const { reject } of waiting.values()) reject(error);
    throw error;
  });
  ended.catch(() => undefined); // told to whoever waits
  await Promise.race([once(child, 'message'), ended]);
  child.on('message', (answer: RawAnswer) => {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('error' in answer) asked?.reject(new Error(`raw client: ${answer.error}`));
    else asked?.resolve(answer.result);
  });

  let lastId = 0;
  return {
    pid: child.pid ?? 0,
    ask(name, options) {
      const id = ++lastId;
      const asked = Promise.withResolvers<unknown>();
      waiting.set(id, asked);
      child.send({ id, name, options });
      return asked.promise as ReturnType<Raw['ask']> as never;
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
