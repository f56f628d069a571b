import type { ParameterizedContext } from 'koa';
import { drainSignalOf } from './drain-signal.ts';

/** Aborts when the client has gone or the listener drains: a wait ends, the task that it waits for does not. */
export function endSignalOf({ req, res }: Pick<ParameterizedContext, 'req' | 'res'>): AbortSignal {
  const closed = new AbortController();
  if (res.destroyed) closed.abort();
  else res.once('close', () => closed.abort());
  const drain = drainSignalOf(req);
  return drain === undefined ? closed.signal : AbortSignal.any([closed.signal, drain]);
}
