import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** A reader that takes nothing for so long is given up. */
const STALL_MS = 30_000;

/** The reader has stopped reading, and may be there or not. */
export class StalledReader extends Error {}

/**
 * Writes messages to a reader at its own pace: the next one is asked for when there is room for it. Returns when all are written or
 * the reader has gone; `messages` is closed in any case.
 * @throws {StalledReader}
 */
export async function writeMessages(
  stream: Pick<Writable, 'write' | 'destroyed' | 'once' | 'off' | 'on'> & NodeJS.EventEmitter,
  messages: AsyncIterable<Buffer>,
  { gone, stallMs = STALL_MS }: { readonly gone: AbortSignal; readonly stallMs?: number },
): Promise<void> {
  for await (const message of messages) {
    if (gone.aborted) return;
    if (stream.write(message)) continue;
    await hasRoom(stream, gone, stallMs);
  }
}

async function hasRoom(stream: NodeJS.EventEmitter, gone: AbortSignal, stallMs: number): Promise<void> {
  const waiting = new AbortController();
  const stalled = setTimeout(() => waiting.abort(), stallMs);
  try {
    await once(stream, 'drain', { signal: AbortSignal.any([waiting.signal, gone]) });
  } catch (error) {
    if (waiting.signal.aborted) throw new StalledReader('nobody reads the stream', { cause: error });
  } finally {
    clearTimeout(stalled);
  }
}
