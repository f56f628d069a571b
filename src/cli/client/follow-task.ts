import { setTimeout as delay } from 'node:timers/promises';
import type { StreamResponse, Task } from '../../domain/a2a.ts';
import { isTerminal } from '../../domain/task-state.ts';
import { CommandError } from '../command-error.ts';
import { EXIT } from '../exit-codes.ts';
import { a2aEndpoint } from './a2a-client.ts';
import { readServerSentEvents } from './sse.ts';
import { fromJsonRpc } from './to-command-error.ts';

export type FollowItem =
  | { readonly event: StreamResponse }
  /** The stream was cut, and is being taken up again. */
  | { readonly cut: string }
  /** The stream goes on where it was cut: nothing is missing, nothing comes twice. */
  | { readonly resumed: true };

export interface FollowOptions {
  readonly url: string;
  readonly taskId: string;
  readonly fetchImpl: typeof fetch;
  readonly getTask: (taskId: string) => Promise<Task>;
  readonly signal: AbortSignal;
  /** How long to try again when nobody answers; 10 minutes unless said. */
  readonly giveUpAfterMs?: number;
}

interface JsonRpcResponse {
  readonly result?: StreamResponse;
  readonly error?: { readonly code: number; readonly message: string };
}

const RETRY_MIN_MS = 200;
const RETRY_MAX_MS = 5_000;
const GIVE_UP_AFTER_MS = 10 * 60_000;
/** The gateway says something every 8 s; a longer silence is a dead connection. */
const SILENCE_MAX_MS = 30_000;

/**
 * Everything that happens to a task, from where it stands now to its end, over any number of cut connections and restarted
 * gateways (`SubscribeToTask` with `Last-Event-ID`). A task that has ended already is one event: the task.
 *
 * @throws CommandError when there is no such task; when nobody answers at first, or for too long.
 */
export async function* followTask(options: FollowOptions): AsyncGenerator<FollowItem, void, undefined> {
  const { signal, giveUpAfterMs = GIVE_UP_AFTER_MS } = options;
  let lastEventId: string | undefined;
  let cutAt: number | undefined;
  let retryMs = RETRY_MIN_MS;

  const isOver = (): boolean => signal.aborted;
  while (!isOver()) {
    try {
      for await (const item of subscribe(options, lastEventId)) {
        if (item === 'connected') {
          if (cutAt !== undefined) yield { resumed: true };
          cutAt = undefined;
          continue;
        }
        retryMs = RETRY_MIN_MS; // only an event shows that the connection is of use
        lastEventId = item.lastEventId || lastEventId;
        yield { event: item.event };
        if (isEnd(item.event)) return;
      }
    } catch (error) {
      if (isOver()) return;
      if (error instanceof CommandError && error.code === 'unsupported-operation') {
        yield { event: { task: await options.getTask(options.taskId) } };
        return;
      }
      const isFirst = lastEventId === undefined && cutAt === undefined;
      const isTooLong = cutAt !== undefined && Date.now() - cutAt > giveUpAfterMs;
      if (!isTransient(error) || isFirst || isTooLong) throw error;
    }
    if (cutAt === undefined) {
      cutAt = Date.now();
      yield { cut: 'The connection was cut; taking the stream up again' };
    }
    await delay(retryMs, undefined, { signal }).catch(() => undefined); // an abort ends the loop above
    retryMs = Math.min(RETRY_MAX_MS, retryMs * 2);
  }
}

async function* subscribe(
  { url, taskId, fetchImpl, signal }: FollowOptions,
  lastEventId: string | undefined,
): AsyncGenerator<'connected' | { event: StreamResponse; lastEventId: string }, void, undefined> {
  const connection = new AbortController();
  const silence = setTimeout(() => connection.abort(), SILENCE_MAX_MS);
  try {
    const response = await fetchImpl(a2aEndpoint(url), {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'text/event-stream',
        'A2A-Version': '1.0',
        ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SubscribeToTask', params: { id: taskId } }),
      signal: AbortSignal.any([signal, connection.signal]),
    });
    if (response.headers.get('Content-Type')?.startsWith('text/event-stream') !== true || response.body === null) {
      unwrap((await response.json()) as JsonRpcResponse);
      throw new CommandError(
        EXIT.failed,
        'no-stream',
        `${url} answers a subscription with something that is no stream.`,
      );
    }
    yield 'connected';
    for await (const { data, lastEventId: id } of readServerSentEvents(response.body, () => silence.refresh())) {
      yield { event: unwrap(JSON.parse(data) as JsonRpcResponse), lastEventId: id };
    }
  } finally {
    clearTimeout(silence);
    connection.abort(); // a reader that stops early closes the connection too
  }
}

function unwrap({ result, error }: JsonRpcResponse): StreamResponse {
  if (error !== undefined) throw fromJsonRpc(error.code, error.message);
  if (result === undefined)
    throw new CommandError(EXIT.failed, 'no-result', 'The gateway sent an answer without a result.');
  return result;
}

function isEnd(event: StreamResponse): boolean {
  if ('message' in event) return true;
  if ('task' in event) return isTerminal(event.task.status.state);
  return 'statusUpdate' in event && isTerminal(event.statusUpdate.status.state);
}

/** Whether trying again can help: nobody there, busy, or a connection that broke in the middle. */
function isTransient(error: unknown): boolean {
  return error instanceof CommandError ? error.exitCode === EXIT.unavailable : true;
}
