import type { ParameterizedContext } from 'koa';
import type { Call } from '../a2a/call.ts';
import { endSignalOf } from './end-signal.ts';
import type { CallerState } from './request-state.ts';

/** What the headers say about a call, over each binding on HTTP alike (A2A 1.0 §3.2.6); its tenant is the request's to say. */
export function callOf(ctx: ParameterizedContext<CallerState>): Call {
  const idempotencyKey = ctx.get('Idempotency-Key');
  const lastEventId = ctx.get('Last-Event-ID');
  return {
    caller: ctx.state.caller,
    extensions: ctx.state.extensions,
    signal: endSignalOf(ctx),
    ...(idempotencyKey !== '' && { idempotencyKey }),
    ...(lastEventId !== '' && { lastEventId }),
  };
}
