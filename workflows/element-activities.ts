/** What is done for a `for_each` stage outside of the workflow, as it may be large. */
import { type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { KeptEnvelope } from '../src/domain/envelope.ts';
import type { Stage } from '../src/domain/pipeline.ts';
import type { ElementsToJoin, LaidOut } from '../src/domain/stage-run.ts';

/** Nothing but a store that is away, or a worker that is lost, can be in the way. */
const ATTEMPTS_MAX = 20;

export function layOutElements(lay: {
  stage: Stage;
  source: KeptEnvelope;
  pointer: string;
  heartbeatTimeoutMs: number;
}): Promise<LaidOut> {
  const { stage, source, pointer, heartbeatTimeoutMs } = lay;
  const activities = proxyActivities<Activities>(optionsOf(`elements of ${stage.id}`, heartbeatTimeoutMs));
  return activities.layOutElements(source, pointer);
}

export function joinElements(joining: {
  stage: Stage;
  join: ElementsToJoin;
  heartbeatTimeoutMs: number;
}): Promise<KeptEnvelope> {
  const { stage, join, heartbeatTimeoutMs } = joining;
  return proxyActivities<Activities>(optionsOf(`envelope of ${stage.id}`, heartbeatTimeoutMs)).joinElements(join);
}

function optionsOf(summary: string, heartbeatTimeoutMs: number): ActivityOptions {
  return {
    startToCloseTimeout: '1 hour',
    heartbeatTimeout: heartbeatTimeoutMs,
    retry: { initialInterval: '1 second', maximumInterval: '1 minute', maximumAttempts: ATTEMPTS_MAX },
    summary,
  };
}
