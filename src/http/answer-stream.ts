import type { ParameterizedContext } from 'koa';
import { logFailure } from '../a2a/log-failure.ts';
import type { StreamFrame } from '../a2a/stream-frame.ts';
import { type A2AErrorView, toA2AError } from '../a2a/to-a2a-error.ts';
import type { StreamResponse } from '../domain/a2a.ts';
import type { RequestState } from './request-state.ts';
import { type ServerSentEvent, writeEventStream } from './write-event-stream.ts';

export interface AnswerStreamOptions {
  /** What a binding makes of an event, and of an error after which the stream ends. */
  readonly encode: {
    readonly event: (event: StreamResponse) => unknown;
    readonly error: (error: A2AErrorView) => unknown;
  };
  readonly heartbeatMs: number;
}

/**
 * Answers with a stream of Server-Sent Events, which closes `frames` in any case.
 * @throws what fails before the first frame: an error like others, and not a stream.
 */
export async function answerStream(
  ctx: ParameterizedContext<RequestState>,
  frames: AsyncGenerator<StreamFrame, void>,
  { encode, heartbeatMs }: AnswerStreamOptions,
): Promise<void> {
  const first = await frames.next();
  ctx.respond = false;
  await writeEventStream(ctx.res, toEvents(first, frames, encode, ctx.state), { heartbeatMs });
}

async function* toEvents(
  first: IteratorResult<StreamFrame, void>,
  frames: AsyncGenerator<StreamFrame, void>,
  encode: AnswerStreamOptions['encode'],
  state: RequestState,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  try {
    for (let next = first; next.done !== true; next = await frames.next()) {
      const { event, cursor } = next.value;
      if (event === undefined) continue;
      yield { ...(cursor !== undefined && { id: cursor }), data: encode.event(event) };
    }
  } catch (error) {
    logFailure(error, state.logger);
    yield { event: 'error', data: encode.error(toA2AError(error, state.requestId)) };
  } finally {
    await frames.return();
  }
}
