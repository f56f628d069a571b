import type { Context } from '@temporalio/activity';

/** A cancel comes with the answer to a heartbeat, so this is how long it may take to arrive. */
const INTERVAL_MS_MAX = 2_000;

/** Beats until disposed: without it, a cancel never arrives and a dead worker is never noticed. */
export function startHeartbeat(activity: Context): Disposable {
  const { heartbeatTimeoutMs } = activity.info;
  // The SDK forbids heartbeats where no timeout is set.
  if (heartbeatTimeoutMs === undefined || heartbeatTimeoutMs <= 0) return { [Symbol.dispose]: () => undefined };
  activity.heartbeat();
  const timer = setInterval(() => activity.heartbeat(), Math.min(heartbeatTimeoutMs / 3, INTERVAL_MS_MAX));
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
