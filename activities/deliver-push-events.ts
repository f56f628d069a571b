import { Context } from '@temporalio/activity';
import type { DeliverPushEvents, PushPlace } from '../src/domain/push-round.ts';
import type { PushDependencies } from './dependencies.ts';

const HEARTBEAT_MS = 10_000;

/**
 * One round of notifications to one webhook. Its place goes with the heartbeats, so that a worker that is killed in the middle
 * has little repeated; what was not recorded is sent again, from exactly there.
 */
export function createDeliverPushEvents({ deliverPush }: Pick<PushDependencies, 'deliverPush'>): DeliverPushEvents {
  return async function deliverPushEvents(round) {
    const activity = Context.current();
    const recorded: unknown = activity.info.heartbeatDetails;
    let place: PushPlace = isPlace(recorded) ? recorded : { at: round.at, hasBegun: round.hasBegun };
    const beat = (): void => activity.heartbeat(place);
    beat();
    const timer = setInterval(beat, HEARTBEAT_MS);
    try {
      return await deliverPush(
        { ...round, ...place },
        {
          signal: activity.cancellationSignal,
          onProgress(now) {
            place = now;
            beat();
          },
        },
      );
    } finally {
      clearInterval(timer);
    }
  };
}

function isPlace(value: unknown): value is PushPlace {
  return typeof value === 'object' && value !== null && 'at' in value && 'hasBegun' in value;
}
