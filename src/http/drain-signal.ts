import type { IncomingMessage } from 'node:http';

const signals = new WeakMap<object, AbortSignal>();

/** Marks a listener's requests with the signal that tells them to come to an end. */
export function markDrainSignal(req: IncomingMessage, signal: AbortSignal): void {
  signals.set(req, signal);
}

/** Aborts when the listener drains. */
export function drainSignalOf(req: IncomingMessage): AbortSignal | undefined {
  return signals.get(req);
}
