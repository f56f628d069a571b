import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from './progress-pump.ts';

export const realClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined),
};
