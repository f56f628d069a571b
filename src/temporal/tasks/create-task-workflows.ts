import type { Client, Connection } from '@temporalio/client';
import { CallLane } from '../call-lane.ts';
import type { PayloadDecoder } from '../data-converter.ts';
import type { FollowQueueLimits } from '../history/follow-queue.ts';
import { FOLLOW_QUEUE_LIMITS } from '../history/follow-queue.ts';
import { PollSlots } from '../history/history-poll-slots.ts';
import { HistoryTails } from '../history/history-tails.ts';
import { ClosedTasks } from './task-closed.ts';
import { createFollow } from '../history/task-follow.ts';
import { createHealth } from './task-health.ts';
import { createListOpenQuestions } from './task-open-questions.ts';
import { createList } from './list/list-tasks.ts';
import { RecentTasks } from './list/recent-tasks.ts';
import { createRead } from './task-read.ts';
import { createIsServed } from './task-served.ts';
import { createRequestCancel, createSendMessage } from './task-signals.ts';
import { createStart } from './task-start.ts';
import { StartMemos } from './task-start-memo.ts';
import type { TaskTemporal } from './task-temporal.ts';
import type { TaskWorkflows } from './task-workflows.ts';

export interface TaskWorkflowsDependencies {
  /** The grpc-js connection that `temporalClient` uses. */
  readonly connection: Connection;
  readonly temporalClient: Client;
  /** A client over the NativeConnection of a worker in this process: starts alone go over it, and are eager. */
  readonly eagerStartClient?: Client;
  readonly taskQueue: string;
  /** Of the clients' own data converter. */
  readonly payloads: PayloadDecoder;
  /** One call to Temporal, retries included. */
  readonly callTimeoutMs?: number;
  /** Long polls at the same time: under `frontend.namespaceCount`, divided by the number of gateways. */
  readonly pollsMax?: number;
  readonly queueLimits?: FollowQueueLimits;
}

const CALL_TIMEOUT_MS = 4_000;
const POLLS_MAX = 1_000;
/** A small server writes some dozens of starts a second: what is let in must be done within the time of a call. */
const LANE = { size: 16, waitMs: 20_000 };

/** Task workflows on a Temporal service. Holds nothing that must be right: what is kept is immutable, or checked. */
export function createTaskWorkflows(dependencies: TaskWorkflowsDependencies): TaskWorkflows {
  const { callTimeoutMs = CALL_TIMEOUT_MS, pollsMax = POLLS_MAX, queueLimits = FOLLOW_QUEUE_LIMITS } = dependencies;
  const temporal: TaskTemporal = { ...dependencies, callTimeoutMs, lane: new CallLane(LANE) };
  // A flood of messages holds up no reads.
  const forWrites: TaskTemporal = { ...temporal, lane: new CallLane(LANE) };
  const startMemos = new StartMemos(temporal);
  const closedTasks = new ClosedTasks(temporal);
  const tails = new HistoryTails({ temporal, closedTasks, slots: new PollSlots(pollsMax), queueLimits });
  const recent = new RecentTasks();
  const read = createRead({ temporal, closedTasks });
  async function onClosed(taskId: string): Promise<void> {
    const start = await startMemos.get(taskId);
    if (start !== undefined) recent.add(taskId, start);
  }
  return {
    start: createStart({ temporal: forWrites, startMemos, recent, tails }),
    startMemo: (taskId) => startMemos.get(taskId),
    read,
    sendMessage: createSendMessage({ temporal: forWrites, startMemos, recent }),
    requestCancel: createRequestCancel({ temporal: forWrites, startMemos, recent }),
    follow: createFollow({ temporal, tails, onClosed }),
    list: createList({ temporal, closedTasks, recent, read }),
    listOpenQuestions: createListOpenQuestions({ temporal, startMemos, tails, read }),
    isServed: createIsServed({ temporal }),
    health: createHealth(temporal),
  };
}
