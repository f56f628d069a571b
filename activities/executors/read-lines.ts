import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

const LINE_FEED = 0x0a;
/** After the writer's end, what is in the pipe is read at once; whoever else holds it open is not waited for. */
const IDLE_MS = 1_000;

/**
 * Lines of UTF-8, the last one also without its line feed. Reads on only when the line before has been dealt with, so that a
 * fast writer waits. Ends with the stream, or when the writer has ended and the pipe is silent.
 * @throws {Error} when a line is longer than `lineBytesMax`
 */
export async function* readLines(
  stream: Readable,
  lineBytesMax: number,
  writerEnd: Promise<unknown>,
): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  const takeLine = (last: Buffer) => {
    const line = Buffer.concat([...pieces, last]).toString('utf8');
    pieces = [];
    bytes = 0;
    return line;
  };
  for await (const chunk of readChunks(stream, writerEnd)) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      if (bytes + end - start > lineBytesMax) throw tooLong(lineBytesMax);
      yield takeLine(chunk.subarray(start, end));
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    bytes += rest.byteLength;
    if (bytes > lineBytesMax) throw tooLong(lineBytesMax);
    pieces.push(rest);
  }
  if (bytes > 0) yield takeLine(Buffer.alloc(0));
}

async function* readChunks(stream: Readable, writerEnd: Promise<unknown>): AsyncGenerator<Buffer> {
  const ended = writerEnd.then(
    () => 'ended' as const,
    () => 'ended' as const,
  );
  const chunks = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  for (;;) {
    const next = chunks.next();
    next.catch(() => undefined);
    const first = await Promise.race([next, ended]);
    const result = first === 'ended' ? await Promise.race([next, sleep(IDLE_MS, undefined, { ref: false })]) : first;
    if (result === undefined || result.done === true) return;
    yield result.value;
  }
}

function tooLong(lineBytesMax: number): Error {
  return new Error(`A line of output is longer than ${lineBytesMax} bytes`);
}
