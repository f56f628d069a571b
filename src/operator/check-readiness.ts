import type { TaskWorkflows } from '../temporal/tasks/task-workflows.ts';

export interface Readiness {
  readonly status: 'ready' | 'unavailable';
  readonly temporal: 'up' | 'down';
  /** The folders for payloads and artifacts. */
  readonly stores: 'up' | 'down';
  /** Workers that poll the task queue. None is no failure of this process: what is sent to it is kept. */
  readonly workers: number;
}

const LIMIT_MS = 4_000;

/** Never throws, and answers within a few seconds: a health check that hangs says nothing. */
export function createCheckReadiness({
  tasks,
  checkStores,
}: {
  tasks: Pick<TaskWorkflows, 'health'>;
  checkStores: () => Promise<void>;
}) {
  return async function checkReadiness(): Promise<Readiness> {
    const [health, areStoresThere] = await Promise.all([
      inTime(() => tasks.health(), { isTemporalUp: false, workers: 0 }),
      inTime(() => checkStores().then(() => true), false),
    ]);
    const { isTemporalUp, workers } = health;
    return {
      status: isTemporalUp && areStoresThere ? 'ready' : 'unavailable',
      temporal: isTemporalUp ? 'up' : 'down',
      stores: areStoresThere ? 'up' : 'down',
      workers: isTemporalUp ? workers : 0,
    };
  };
}

/** An error is an answer, too, and so is silence: a folder of a network that has gone away may not answer at all. */
async function inTime<T>(ask: () => Promise<T>, otherwise: T): Promise<T> {
  const { promise: tooLate, resolve } = Promise.withResolvers<T>();
  const limit = setTimeout(() => resolve(otherwise), LIMIT_MS);
  try {
    return await Promise.race([ask(), tooLate]);
  } catch {
    return otherwise;
  } finally {
    clearTimeout(limit);
  }
}
