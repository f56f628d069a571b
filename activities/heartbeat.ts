import type { Context } from '@temporalio/activity';

/** Beats until disposed: without it, a cancel never arrives and a dead worker is never noticed. */
export function startHeartbeat(activity: Context): Disposable {
  const { heartbeatTimeoutMs } = activity.info;
  // The SDK forbids heartbeats where no timeout is set.
  if (heartbeatTimeoutMs === undefined || heartbeatTimeoutMs <= 0) return { [Symbol.dispose]: () => undefined };
  activity.heartbeat();
  const timer = setInterval(() => activity.heartbeat(), heartbeatTimeoutMs / 3);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
