import { ActivityCancellationType, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { PushActivities } from '../activities/index.ts';
import type { PushRound, PushRoundEnd } from '../src/domain/push-round.ts';
import { pushTaskQueue } from './push-delivery-contract.ts';

/** A round ends by itself long before. */
const ROUND_LIMIT = '10 minutes';
const HEARTBEAT_TIMEOUT = '30 seconds';

/**
 * One round of notifications to one webhook. What the webhook answers is the round's result; the activity fails, and is tried
 * again for ever, when Temporal or a store is away.
 */
export function deliverPushEvents(round: PushRound, host: string): Promise<PushRoundEnd> {
  const { deliverPushEvents: deliver } = proxyActivities<PushActivities>({
    taskQueue: pushTaskQueue(workflowInfo().taskQueue),
    startToCloseTimeout: ROUND_LIMIT,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    // A round that is cancelled says how far it came.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
    summary: `to ${host}`,
  });
  return deliver(round);
}

/** The activity says itself when it is to be tried again: no worker is held, and no history is written. */
export function awaitTaskTurn(taskId: string): Promise<'ended' | 'moved'> {
  const { awaitTaskTurn: await_ } = proxyActivities<PushActivities>({
    taskQueue: pushTaskQueue(workflowInfo().taskQueue),
    startToCloseTimeout: HEARTBEAT_TIMEOUT,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: { maximumInterval: '5 minutes' },
    summary: 'the end of the task, should nobody tell of it',
  });
  return await_(taskId);
}
