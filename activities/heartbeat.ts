import type { Context } from '@temporalio/activity';

/** A cancel comes with the answer to a heartbeat, so this is how long it may take to arrive. */
const INTERVAL_MS_MAX = 2_000;
/** Temporal has just seen the attempt begin, and a beat costs as much as a step of the task: short stages end without one. */
const FIRST_MS = 250;

/**
 * Beats until disposed: without it, a cancel never arrives and a dead worker is never noticed. `name` is what Temporal's UI shows
 * of the activity while it is pending, where all are of one type.
 */
export function startHeartbeat(activity: Context, name?: string): Disposable {
  const { heartbeatTimeoutMs } = activity.info;
  // The SDK forbids heartbeats where no timeout is set.
  if (heartbeatTimeoutMs === undefined || heartbeatTimeoutMs <= 0) return { [Symbol.dispose]: () => undefined };
  const intervalMs = Math.min(heartbeatTimeoutMs / 3, INTERVAL_MS_MAX);
  const beat = (): void => activity.heartbeat(name);
  let timer = setTimeout(
    () => {
      beat();
      timer = setInterval(beat, intervalMs);
    },
    Math.min(FIRST_MS, intervalMs),
  );
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
