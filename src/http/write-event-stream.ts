import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { SSE_HEADERS } from '@a2a-js/sdk';

/** One Server-Sent Event: `data` is written as JSON. */
export interface ServerSentEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data: unknown;
}

export interface EventStreamOptions {
  /** A comment goes out after so long a silence: no event, but proxies see life. */
  readonly heartbeatMs: number;
  /** A reader that leaves the socket full for so long is dropped. */
  readonly stallMs?: number;
}

const STALL_MS = 30_000;

/**
 * Writes events to a reader at its own pace: the next one is asked for when the one before has left. Returns when all are written
 * or the reader has gone; `events` is closed in any case.
 */
export async function writeEventStream(
  res: ServerResponse,
  events: AsyncIterable<ServerSentEvent>,
  { heartbeatMs, stallMs = STALL_MS }: EventStreamOptions,
): Promise<void> {
  res.writeHead(200, SSE_HEADERS);
  res.flushHeaders();
  const heartbeat = setInterval(() => {
    if (!res.writableNeedDrain && !res.writableEnded) res.write(': keep-alive\n\n');
  }, heartbeatMs);
  try {
    for await (const event of events) {
      heartbeat.refresh();
      const hasRoom = res.write(format(event));
      if (!hasRoom && !(await hasDrained(res, stallMs))) {
        res.destroy();
        return;
      }
      if (res.destroyed) return;
    }
  } finally {
    clearInterval(heartbeat);
  }
  res.end();
}

/** False when the reader has gone or reads no more. */
async function hasDrained(res: ServerResponse, stallMs: number): Promise<boolean> {
  const waiting = new AbortController();
  const giveUp = (): void => waiting.abort();
  const stalled = setTimeout(giveUp, stallMs);
  res.once('close', giveUp);
  try {
    if (res.destroyed) return false;
    await once(res, 'drain', { signal: waiting.signal });
    return true;
  } catch {
    return false; // aborted, or the socket failed: both mean that nobody reads
  } finally {
    clearTimeout(stalled);
    res.off('close', giveUp);
  }
}

/** JSON has no line breaks of its own, so each event is one line of data. */
function format({ id, event, data }: ServerSentEvent): string {
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`;
  return `${head}data: ${JSON.stringify(data)}\n\n`;
}
