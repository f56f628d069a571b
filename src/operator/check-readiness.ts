import type { TaskWorkflows } from '../temporal/tasks/task-workflows.ts';

export interface Readiness {
  readonly status: 'ready' | 'unavailable';
  readonly temporal: 'up' | 'down';
  /** Workers that poll the task queue. None is no failure of this process: what is sent to it is kept. */
  readonly workers: number;
}

const LIMIT_MS = 4_000;

/** Never throws, and answers within a few seconds: a health check that hangs says nothing. */
export function createCheckReadiness({ tasks }: { tasks: Pick<TaskWorkflows, 'health'> }) {
  return async function checkReadiness(): Promise<Readiness> {
    const { promise: tooLate, resolve } = Promise.withResolvers<undefined>();
    const limit = setTimeout(() => resolve(undefined), LIMIT_MS);
    try {
      const health = await Promise.race([tasks.health(), tooLate]);
      if (health?.isTemporalUp === true) return { status: 'ready', temporal: 'up', workers: health.workers };
    } catch {
      // An error is an answer, too.
    } finally {
      clearTimeout(limit);
    }
    return { status: 'unavailable', temporal: 'down', workers: 0 };
  };
}
