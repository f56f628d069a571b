import { expect, it } from '@jest/globals';
import type { ServerSentEvent } from '../../../src/cli/client/sse.ts';
import { readServerSentEvents } from '../../../src/cli/client/sse.ts';

async function read(...chunks: readonly string[]): Promise<ServerSentEvent[]> {
  const events: ServerSentEvent[] = [];
  const body = ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk)));
  for await (const event of readServerSentEvents(body, () => undefined)) events.push(event);
  return events;
}

const message = (data: string, lastEventId = '') => ({ event: 'message', data, lastEventId });

it.each<[string, string[], ReturnType<typeof message>[]]>([
  [
    'events cut anywhere',
    ['id: 1\nda', 'ta: {"a"', ':1}\n', '\nid: 2\ndata: b\n\n'],
    [message('{"a":1}', '1'), message('b', '2')],
  ],
  ['comments, which are none', [': keep-alive\n\n', 'data: x\n\n'], [message('x')]],
  ['several lines of data', ['data: x\ndata: y\n\n'], [message('x\ny')]],
  ['an ID that stays until the next', ['id: 7\ndata: x\n\ndata: y\n\n'], [message('x', '7'), message('y', '7')]],
  ['line ends of every kind', ['data: x\r\n\r\ndata: y\n\n'], [message('x'), message('y')]],
  ['nothing of an event that was cut', ['data: x\n\ndata: y\n'], [message('x')]],
])('reads %s', async (_what, chunks, events) => {
  expect(await read(...chunks)).toEqual(events);
});
