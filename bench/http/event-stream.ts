import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';

/** A stream of server-sent events that is read for as long as it is open. */
export interface EventStream extends Disposable {
  /** Resolves with the time (`performance.now()`) of the first event that fits, from now on. */
  next(isWanted: (data: string) => boolean): Promise<number>;
}

export type OnEvent = (data: string, at: number) => void;

/** No stream was opened, or it ended before its first event. */
export class NoStream extends Error {}

/** Returns when the first event has arrived. @throws {NoStream} */
export async function openEventStream(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: unknown,
  onEvent?: OnEvent,
): Promise<EventStream> {
  const text = JSON.stringify(body);
  const answered = Promise.withResolvers<IncomingMessage>();
  const req = request(url, {
    method: 'POST',
    agent: false,
    headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) },
  });
  req.once('response', answered.resolve);
  req.on('error', answered.reject);
  req.end(text);
  const res = await answered.promise;
  if (res.headers['content-type'] !== 'text/event-stream') {
    res.resume();
    throw new NoStream(`HTTP ${res.statusCode ?? 0}`);
  }

  const first = Promise.withResolvers<undefined>();
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => undefined); // told to whoever waits
  let wanted: { isWanted: (data: string) => boolean; resolve: (at: number) => void } | undefined;
  let rest = '';
  res.setEncoding('utf8');
  res.on('data', (chunk: string) => {
    const at = performance.now();
    const events = (rest + chunk).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = event.split('\n').find((line) => line.startsWith('data:'));
      if (data === undefined) continue; // a comment that keeps the stream alive
      first.resolve(undefined);
      onEvent?.(data, at);
      if (wanted?.isWanted(data) !== true) continue;
      wanted.resolve(at);
      wanted = undefined;
    }
  });
  res.on('close', () => ended.reject(new NoStream('The stream has ended')));
  res.on('error', () => undefined); // the close follows
  await Promise.race([first.promise, ended.promise]);
  return {
    next(isWanted) {
      const { promise, resolve } = Promise.withResolvers<number>();
      wanted = { isWanted, resolve };
      return Promise.race([promise, ended.promise]);
    },
    [Symbol.dispose]: () => void res.destroy(),
  };
}
