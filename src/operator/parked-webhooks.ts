import { z } from 'zod';
import { parseWith } from '../contract/invalid-request.ts';
import { Failure } from '../domain/failure.ts';
import type { PushDeliveries } from '../temporal/push/push-deliveries.ts';

/** Of all tasks. */
export type ParkedWebhooks = Pick<PushDeliveries, 'listParked' | 'retryParked'>;

const retrySchema = z.object({ taskId: z.string().min(1, 'is required'), configId: z.string().min(1, 'is required') });

/** An operator wants a parked webhook to be tried again. */
export function createRetryParked({ deliveries }: { deliveries: ParkedWebhooks }) {
  /** @throws {Failure} `invalid-request`; `task-not-found` when no such webhook is parked; `unavailable` */
  return async function retryParked(body: unknown): Promise<void> {
    const { taskId, configId } = parseWith(retrySchema, body, '');
    if (await deliveries.retryParked(taskId, configId)) return;
    throw new Failure('task-not-found', 'No such webhook is parked');
  };
}
