/** The register of activities: Temporal's UI shows them by these names. */
import type { RunStage } from '../src/domain/stage-run.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { createRunStage } from './run-stage.ts';

export type { ActivityDependencies } from './dependencies.ts';

export interface Activities {
  readonly runStage: RunStage;
}

export function createActivities(dependencies: ActivityDependencies): Activities {
  return { runStage: createRunStage(dependencies) };
}
