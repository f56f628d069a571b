import type { Context } from '@temporalio/activity';

/** A cancel comes with the answer to a heartbeat, so this is how long it may take to arrive. */
const INTERVAL_MS_MAX = 2_000;

/**
 * Beats until disposed: without it, a cancel never arrives and a dead worker is never noticed. `name` is what Temporal's UI shows
 * of the activity while it is pending, where all are of one type.
 */
export function startHeartbeat(activity: Context, name?: string): Disposable {
  const { heartbeatTimeoutMs } = activity.info;
  // The SDK forbids heartbeats where no timeout is set.
  if (heartbeatTimeoutMs === undefined || heartbeatTimeoutMs <= 0) return { [Symbol.dispose]: () => undefined };
  activity.heartbeat(name);
  const timer = setInterval(() => activity.heartbeat(name), Math.min(heartbeatTimeoutMs / 3, INTERVAL_MS_MAX));
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
