import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../observability/logger.ts';
import { isTemporalHealthy } from '../../temporal/connection.ts';
import type { StopSignal } from './stop-signal.ts';

const POLL_MS = 2_000;
const SAY_EVERY_MS = 30_000;

/** A worker cannot connect while Temporal is away: it waits, and says so. False when it was asked to stop meanwhile. */
export async function waitForTemporal(address: string, stop: StopSignal, logger: Logger): Promise<boolean> {
  let saidAt = 0;
  while (!(await isTemporalHealthy({ address }))) {
    if (stop.isRequested()) return false;
    if (Date.now() - saidAt > SAY_EVERY_MS) {
      logger.warn({ address }, 'Temporal does not answer; waiting for it');
      saidAt = Date.now();
    }
    await Promise.race([delay(POLL_MS), stop.requested]);
  }
  return !stop.isRequested();
}
