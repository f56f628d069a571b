/** The register of activities: Temporal's UI shows them by these names. */
import type { AwaitTaskTurn, DeliverPushEvents } from '../src/domain/push-round.ts';
import type { JoinElements, LayOutElements, RunStage } from '../src/domain/stage-run.ts';
import { createAwaitTaskTurn } from './await-task-turn.ts';
import { createDeliverPushEvents } from './deliver-push-events.ts';
import type { ActivityDependencies, PushDependencies } from './dependencies.ts';
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

/** On a task queue of their own, so that webhooks that hang hold up no stages. */
export interface PushActivities {
  readonly deliverPushEvents: DeliverPushEvents;
  readonly awaitTaskTurn: AwaitTaskTurn;
}

export function createPushActivities(dependencies: PushDependencies): PushActivities {
  return {
    deliverPushEvents: createDeliverPushEvents(dependencies),
    awaitTaskTurn: createAwaitTaskTurn(dependencies),
  };
}
