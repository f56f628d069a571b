import { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { connectTemporal } from '../../temporal/connection.ts';

export interface RepeatedAttempt {
  /** As Temporal's UI shows the activity: `gather 3`. */
  readonly activity: string;
  readonly attempt: number;
  /** Why the attempt before it ended. */
  readonly reason: string;
}

/** The activities of a task that needed more than one attempt, out of its workflow's history. */
export async function readRepeatedAttempts(
  temporal: { address: string; namespace: string },
  taskId: string,
): Promise<readonly RepeatedAttempt[]> {
  const connection = await connectTemporal({ address: temporal.address });
  try {
    const client = new Client({ connection, namespace: temporal.namespace });
    const { events } = await client.workflow.getHandle(taskId).fetchHistory();
    const names = new Map<string, string>();
    const repeated: RepeatedAttempt[] = [];
    for (const {
      eventId,
      userMetadata,
      activityTaskScheduledEventAttributes: scheduled,
      activityTaskStartedEventAttributes: started,
    } of events ?? []) {
      if (scheduled != null) {
        const summary =
          userMetadata?.summary == null ? undefined : defaultPayloadConverter.fromPayload<string>(userMetadata.summary);
        names.set(String(eventId), summary ?? scheduled.activityType?.name ?? 'activity');
      }
      if (started != null && (started.attempt ?? 1) > 1) {
        repeated.push({
          activity: names.get(String(started.scheduledEventId)) ?? 'activity',
          attempt: started.attempt ?? 1,
          reason: started.lastFailure?.message ?? 'its worker was lost',
        });
      }
    }
    return repeated;
  } finally {
    await connection.close();
  }
}
