/** The register of activities: Temporal's UI shows them by these names. */
import type { JoinElements, LayOutElements, RunStage } from '../src/domain/stage-run.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { createJoinElements } from './join-elements.ts';
import { createLayOutElements } from './lay-out-elements.ts';
import { createRunStage } from './run-stage.ts';

export type { ActivityDependencies } from './dependencies.ts';

export interface Activities {
  readonly runStage: RunStage;
  readonly layOutElements: LayOutElements;
  readonly joinElements: JoinElements;
}

export function createActivities(dependencies: ActivityDependencies): Activities {
  return {
    runStage: createRunStage(dependencies),
    layOutElements: createLayOutElements(dependencies),
    joinElements: createJoinElements(dependencies),
  };
}
