import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { Connection } from '@temporalio/client';
import { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { NativeConnection } from '@temporalio/worker';
import type { Publication, Stage } from '../../../src/domain/pipeline.ts';
import type { RunStage, StageOutcome, StageRun } from '../../../src/domain/stage-run.ts';
import type { MessageSignal, ProgressItem } from '../../../src/domain/task-log.ts';
import { createPayloadStore } from '../../../src/storage/payload-store.ts';
import type { TaskWorkflowsDependencies } from '../../../src/temporal/tasks/create-task-workflows.ts';
import { createTaskWorkflows } from '../../../src/temporal/tasks/create-task-workflows.ts';
import { connectTemporal, connectTemporalNatively } from '../../../src/temporal/connection.ts';
import { createDataConverter, createPayloadDecoder } from '../../../src/temporal/data-converter.ts';
import { createProgressSender } from '../../../src/temporal/tasks/task-progress-sender.ts';
import type { TaskFollowItem, TaskWorkflows } from '../../../src/temporal/tasks/task-workflows.ts';
import type { TaskInput, TaskStartMemo } from '../../../workflows/task-contract.ts';
import type { RunningWorker } from '../../support/environment.ts';
import { startTestWorker, temporaryFolder, testServer, uniqueTaskQueue } from '../../support/environment.ts';

/** What a stage does in these tests, instead of an executor. */
export type StageScript = (stage: {
  readonly run: StageRun;
  readonly attempt: number;
  progress(...items: ProgressItem[]): Promise<void>;
}) => Promise<StageOutcome>;

/** Real task workflows on a real server, with scripts for executors. */
export interface TaskRig extends AsyncDisposable {
  readonly tasks: TaskWorkflows;
  readonly client: Client;
  readonly connection: Connection;
  readonly taskQueue: string;
  readonly dataConverter: DataConverter;
  /** A client over a native connection of its own. */
  nativeClient(): Promise<Client>;
  /** Resets the task's current run to its first workflow task, as an operator does. Gives the new run's ID. */
  reset(taskId: string): Promise<string>;
  /** Another process's view of the same tasks. */
  createTasks(options?: Partial<TaskWorkflowsDependencies>): TaskWorkflows;
  startWorker(script: StageScript): Promise<RunningWorker>;
}

export async function createTaskRig(server: { address: string; namespace: string } = testServer()): Promise<TaskRig> {
  const { address, namespace } = server;
  const folder = await temporaryFolder();
  const dataConverter = createDataConverter({ payloadStore: createPayloadStore({ directory: folder.path }) });
  const connection = await connectTemporal({ address });
  const client = new Client({ connection, namespace, dataConverter });
  const taskQueue = uniqueTaskQueue();
  const natives: NativeConnection[] = [];
  const connectNatively = async (): Promise<NativeConnection> => {
    const native = await connectTemporalNatively({ address });
    natives.push(native);
    return native;
  };
  const createTasks: TaskRig['createTasks'] = (options = {}) =>
    createTaskWorkflows({
      connection,
      temporalClient: client,
      taskQueue,
      payloads: createPayloadDecoder(dataConverter),
      ...options,
    });
  return {
    tasks: createTasks(),
    client,
    connection,
    taskQueue,
    dataConverter,
    createTasks,
    nativeClient: async () => new Client({ connection: await connectNatively(), namespace, dataConverter }),
    async reset(taskId) {
      const { runId } = await connection.workflowService.resetWorkflowExecution({
        namespace,
        workflowExecution: { workflowId: taskId },
        workflowTaskFinishEventId: await firstWorkflowTaskFinish(client, taskId),
        reason: 'test',
        requestId: randomUUID(),
      });
      return runId;
    },
    async startWorker(script) {
      const native = await connectNatively();
      const runStage = scripted(script, createProgressSender({ connection, temporalClient: client }));
      return startTestWorker({ connection: native, namespace, taskQueue, dataConverter, activities: { runStage } });
    },
    async [Symbol.asyncDispose]() {
      for (const native of natives) await native.close();
      await connection.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function firstWorkflowTaskFinish(client: Client, taskId: string) {
  const { events } = await client.workflow.getHandle(taskId).fetchHistory();
  const event = events?.find(
    (each) => each.workflowTaskCompletedEventAttributes ?? each.workflowTaskFailedEventAttributes,
  );
  return event!.eventId!;
}

function scripted(script: StageScript, sendProgress: ReturnType<typeof createProgressSender>): RunStage {
  return async (run) => {
    const { info } = Context.current();
    const { workflowId, runId } = info.workflowExecution!;
    let seq = 0;
    return script({
      run,
      attempt: info.attempt,
      progress: (...items) =>
        sendProgress(
          { workflowId, runId },
          {
            stageId: run.stage.id,
            ...(run.element !== undefined && { element: run.element }),
            turn: run.turn,
            attempt: info.attempt,
            scheduledMs: info.currentAttemptScheduledTimestampMs,
            seq: ++seq,
            items,
          },
        ),
    });
  };
}

export function stage(id: string, changes: Partial<Stage> = {}): Stage {
  return {
    id,
    needs: [],
    executor: { kind: 'function', module: './stages.ts', export: id },
    sideBySide: 16,
    gates: ['free_text', 'confirm'],
    retries: 0,
    emits: [],
    followUps: false,
    callerAnswerable: true,
    ...changes,
  };
}

/** Stages that run one after the other. */
export function chain(...ids: string[]): Stage[] {
  return ids.map((id, index) => stage(id, { needs: ids.slice(Math.max(0, index - 1), index) }));
}

export function taskInput({
  stages = [stage('work')],
  text = 'hello',
  historyEventsMax = 10_000,
  caller = 'analyst',
} = {}): TaskInput {
  const taskId = `echo-${randomUUID().replaceAll('-', '').slice(0, 26)}`;
  const publication: Publication = {
    id: 'echo',
    name: 'Echo',
    description: 'Answers with what it was told.',
    revision: '0'.repeat(64),
    root: '/',
    pipeline: { id: 'echo', stages },
    plain: stages.length === 1,
    results: { stage: stages.at(-1)!.id, includePayload: true, artifacts: [] },
    questionsTo: 'caller',
    dedupe: 'message',
    allowedCallers: [caller],
    tags: [],
    examples: [],
  };
  return {
    taskId,
    contextId: `context of ${taskId}`,
    caller,
    publication,
    message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }] },
    submittedAt: new Date().toISOString(),
    limits: { heartbeatTimeoutMs: 30_000, cancelGraceMs: 1_000, historyEventsMax, historyHoldMs: 10_000 },
  };
}

export function startMemoOf(input: TaskInput): TaskStartMemo {
  return {
    caller: input.caller,
    publication: input.publication.id,
    contextId: input.contextId,
    messageId: input.message.messageId,
    contentHash: 'c'.repeat(64),
  };
}

export function textMessage(text: string, id: string = randomUUID()): MessageSignal {
  return {
    id,
    contentHash: 'd'.repeat(64),
    by: 'caller',
    at: new Date().toISOString(),
    message: { messageId: id, role: 'ROLE_USER', parts: [{ text }] },
  };
}

export function says(text: string): ProgressItem {
  return { text, at: new Date().toISOString() };
}

export function chunk(text: string, append = true): ProgressItem {
  return { artifact: { artifactId: 'answer', parts: [{ text, mediaType: 'text/plain' }] }, append, lastChunk: false };
}

export async function startTask(tasks: TaskWorkflows, input: TaskInput): Promise<string> {
  await tasks.start(input, startMemoOf(input));
  return input.taskId;
}

/** Follows to the end of the task. */
export async function followToEnd(
  tasks: TaskWorkflows,
  taskId: string,
  after?: string,
  timeoutMs = 50_000,
): Promise<TaskFollowItem[]> {
  const signal = AbortSignal.timeout(timeoutMs);
  const items = await collect(tasks.follow(taskId, { signal, ...(after !== undefined && { after }) }));
  if (!items.at(-1)?.isClosed) throw new Error(`Task ${taskId} did not end while it was followed`);
  return items;
}

/** All that a stream shows, each with its cursor. */
export function shownIn(items: readonly TaskFollowItem[]): TaskFollowItem['shown'][number][] {
  return items.flatMap(({ shown }) => shown);
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
