import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import protocol from '@temporalio/proto';
import { inParallel, timed, timedTimes } from '../in-parallel.ts';
import { followHistory } from './follow-history.ts';
import { answerSignal, oneActivity, progressSignal, stateQuery, waitsForAnswer } from './workflows.ts';

const { EventType } = protocol.temporal.api.enums.v1;

export interface RawClients {
  /** grpc-js, as applications have it. */
  readonly plain: Client;
  /** Over the worker's own connection. */
  readonly eager: Client;
  readonly taskQueue: string;
}

export type Start = 'plain' | 'eager';

export type RawOperations = ReturnType<typeof createRawOperations>;

/** What the raw client can be asked to do. Samples are in milliseconds. */
export function createRawOperations({ plain, eager, taskQueue }: RawClients) {
  const startOne = (start: Start) =>
    (start === 'eager' ? eager : plain).workflow.start(oneActivity, {
      workflowId: `raw-${randomUUID()}`,
      taskQueue,
      args: ['hello'],
      ...(start === 'eager' && { requestEagerStart: true }),
    });
  const quick = async (start: Start): Promise<string> => (await startOne(start)).result();
  const startWaiting = () => plain.workflow.start(waitsForAnswer, { workflowId: `raw-${randomUUID()}`, taskQueue });

  return {
    /** Starts alone; the workflow has ended before the next one is started. */
    async start({ count, start }: { count: number; start: Start }): Promise<number[]> {
      let handle: Awaited<ReturnType<typeof startOne>> | undefined;
      return timedTimes(
        count,
        async () => (handle = await startOne(start)),
        async () => handle?.result(),
      );
    },

    /** Start and result. */
    quick({ count, start }: { count: number; start: Start }): Promise<number[]> {
      return timedTimes(count, () => quick(start));
    },

    /** How many end in a second. */
    async throughput({ count, atOnce, start }: { count: number; atOnce: number; start: Start }): Promise<number> {
      const ms = await timed(() => inParallel(count, { atOnce }, () => quick(start)));
      return (count / ms) * 1000;
    },

    async query({ count }: { count: number }): Promise<number[]> {
      const handle = await startWaiting();
      await handle.query(stateQuery); // the worker has it now
      const samples = await timedTimes(count, () => handle.query(stateQuery));
      await handle.signal(answerSignal, 'enough');
      return samples;
    },

    /** The result of a workflow that has ended. */
    async result({ count }: { count: number }): Promise<number[]> {
      const handle = await startOne('plain');
      await handle.result();
      return timedTimes(count, () => handle.result());
    },

    /** From before a signal is sent to when a long poll on the history has it. */
    async events({ count, intervalMs }: { count: number; intervalMs: number }): Promise<number[]> {
      const handle = await startWaiting();
      const seen: number[] = [];
      const following = followHistory(plain, handle.workflowId, (event) => {
        if (event.workflowExecutionSignaledEventAttributes?.signalName === 'progress') seen.push(performance.now());
        return seen.length === count;
      });
      const sent: number[] = [];
      for (let index = 0; index < count; index++) {
        await delay(intervalMs);
        sent.push(performance.now());
        await handle.signal(progressSignal, index);
      }
      await following;
      await handle.signal(answerSignal, 'enough');
      return sent.map((at, index) => (seen[index] ?? NaN) - at);
    },

    /** From before the answer is sent to when a long poll has what the workflow wrote because of it. */
    async answers({ count }: { count: number }): Promise<number[]> {
      const samples: number[] = [];
      for (let index = 0; index < count; index++) {
        const handle = await startWaiting();
        await handle.query(stateQuery);
        const following = followHistory(
          plain,
          handle.workflowId,
          (event) => event.eventType === EventType.EVENT_TYPE_WORKFLOW_PROPERTIES_MODIFIED,
        );
        await delay(20); // the poll is there by then
        samples.push(
          await timed(async () => {
            await handle.signal(answerSignal, 'yes');
            await following;
          }),
        );
      }
      return samples;
    },

    /** Names of the events of a workflow's history, be it ours or the product's; of a new raw one when none is named. */
    async history({ workflowId }: { workflowId?: string }): Promise<string[]> {
      const own = workflowId === undefined ? await startOne('plain') : undefined;
      await own?.result();
      const { events } = await plain.workflow.getHandle(own?.workflowId ?? workflowId ?? '').fetchHistory();
      return (events ?? []).map(({ eventType }) => (EventType[eventType ?? 0] ?? '').replace('EVENT_TYPE_', ''));
    },

    /** By Temporal's own listing, which is a moment behind. */
    async countWaitingTasks(_options: object): Promise<number> {
      const { count } = await plain.workflow.count("ExecutionStatus = 'Running' AND A2aOpenQuestions > 0");
      return count;
    },
  };
}
