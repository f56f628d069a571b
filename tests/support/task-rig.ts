/** The task workflow on the run's real server, with stages that a test scripts. */
import { createHash, randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { Client, WorkflowHandle, WorkflowStartOptions } from '@temporalio/client';
import type { WithWorkflowArgs } from '@temporalio/common';
import type { WorkerOptions } from '@temporalio/worker';
import { createJoinElements } from '../../activities/join-elements.ts';
import { createLayOutElements } from '../../activities/lay-out-elements.ts';
import type { Pipeline, Publication, Stage } from '../../src/domain/pipeline.ts';
import type { RunStage } from '../../src/domain/stage-run.ts';
import type { ArtifactStore } from '../../src/storage/artifact-store.ts';
import { createKeptValues, type KeptValues } from '../../src/storage/kept-values.ts';
import type { TaskView } from '../../src/domain/task-fold.ts';
import type { MessageSignal, ProgressItem } from '../../src/domain/task-log.ts';
import {
  getTaskQuery,
  messageSignal,
  progressSignal,
  TASK_WORKFLOW_TYPE,
  type TaskInput,
  type TaskLimits,
} from '../../workflows/task-contract.ts';
import type { taskWorkflow } from '../../workflows/task-workflow.ts';
import { createTimeSkipping, startTestWorker, testServer, uniqueTaskQueue } from './environment.ts';
import { eventually } from './eventually.ts';

export type ScriptedStage = (...args: [...Parameters<RunStage>, helpers: ScriptHelpers]) => ReturnType<RunStage>;

export interface ScriptHelpers {
  progress(...items: ProgressItem[]): Promise<void>;
  /** Where stages keep large values. */
  readonly kept: KeptValues;
}

export function stageOf(id: string, changes: Partial<Stage> = {}): Stage {
  return {
    id,
    needs: [],
    executor: { kind: 'function', module: './none.ts', export: id },
    sideBySide: 16,
    gates: [],
    retries: 0,
    emits: [],
    followUps: false,
    callerAnswerable: false,
    ...changes,
  };
}

export function publicationOf(pipeline: Pipeline, changes: Partial<Publication> = {}): Publication {
  return {
    id: pipeline.id,
    name: pipeline.id,
    description: '',
    revision: '0'.repeat(64),
    root: '.',
    pipeline,
    plain: false,
    results: { stage: pipeline.stages.at(-1)?.id ?? '', includePayload: true, artifacts: [] },
    questionsTo: 'caller',
    dedupe: 'message',
    allowedCallers: ['alice'],
    tags: [],
    examples: [],
    ...changes,
  };
}

export interface RunningTask {
  readonly taskId: string;
  readonly handle: WorkflowHandle<typeof taskWorkflow>;
  view(): Promise<TaskView>;
  /** Waits until the task looks so. */
  until(check: (view: TaskView) => boolean): Promise<TaskView>;
  say(text: string, changes?: Partial<MessageSignal>): Promise<void>;
  answer(
    requestId: string,
    answer: Extract<MessageSignal, { answer: unknown }>['answer'],
    by?: 'caller' | 'operator',
  ): Promise<void>;
}

export interface StartOptions {
  readonly taskId?: string;
  readonly text?: string;
  readonly limits?: Partial<TaskLimits>;
  /** Comes with the start, before the workflow runs. */
  readonly signal?: MessageSignal;
}

export interface TaskRigOptions {
  readonly timeSkipping?: boolean;
  readonly worker?: Omit<Partial<WorkerOptions>, 'connection' | 'taskQueue' | 'activities'>;
  /** The client that starts tasks and sends signals; the server's own otherwise. */
  readonly client?: Client;
}

/** Of a test that never stores a file. */
const noArtifacts: ArtifactStore = {
  put: () => Promise.reject(new Error('no artifacts here')),
  open: () => Promise.resolve(undefined),
};

/** Kept values in the memory of this process. */
function memoryKept(): KeptValues {
  const contents = new Map<string, Uint8Array>();
  return createKeptValues({
    async put(content) {
      const sha256 = createHash('sha256').update(content).digest('hex');
      contents.set(sha256, content);
      return sha256;
    },
    async get(sha256) {
      const content = contents.get(sha256);
      if (content === undefined) throw new Error(`nothing is kept as ${sha256}`);
      return content;
    },
  });
}

export interface TaskRig extends AsyncDisposable {
  readonly client: Client;
  start(publication: Publication, options?: StartOptions): Promise<RunningTask>;
  /** Time passes: at once on the time-skipping server. */
  sleep(ms: number): Promise<void>;
  /** Does something while no worker is up. */
  withoutWorker(work: () => Promise<void>): Promise<void>;
}

/** A worker whose stages are the script's, by stage ID. */
export async function startTaskRig(
  script: Readonly<Record<string, ScriptedStage>>,
  options: TaskRigOptions = {},
): Promise<TaskRig> {
  const taskQueue = uniqueTaskQueue();
  const kept = memoryKept();
  const skipping = options.timeSkipping === true ? await createTimeSkipping() : undefined;
  const client = options.client ?? skipping?.environment.client ?? (await testServer().client());
  const runStage: RunStage = (run, facts, upstream) => {
    const stage = script[run.stage.id];
    if (stage === undefined) throw new Error(`no script for stage ${run.stage.id}`);
    const { workflowExecution, attempt, currentAttemptScheduledTimestampMs: scheduledMs } = Context.current().info;
    let seq = 0;
    const progress = async (...items: ProgressItem[]): Promise<void> => {
      seq += 1;
      const { turn, element } = run;
      await client.workflow.getHandle(workflowExecution?.workflowId ?? '').signal(progressSignal, {
        stageId: run.stage.id,
        ...(element !== undefined && { element }),
        turn,
        attempt,
        scheduledMs,
        seq,
        items,
      });
    };
    return stage(run, facts, upstream, { progress, kept });
  };
  const startWorker = () =>
    startTestWorker({
      taskQueue,
      activities: {
        runStage,
        layOutElements: createLayOutElements({ kept }),
        joinElements: createJoinElements({ kept, artifacts: noArtifacts }),
      },
      ...options.worker,
      ...(skipping && { connection: skipping.environment.nativeConnection, namespace: skipping.namespace }),
    });
  let worker = await startWorker();
  return {
    client,
    async start(
      publication,
      { taskId = `${publication.id}-${randomUUID().slice(0, 8)}`, text = 'hello', limits, signal } = {},
    ) {
      const input: TaskInput = {
        taskId,
        contextId: 'context-1',
        caller: 'alice',
        publication,
        message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text }] },
        submittedAt: new Date().toISOString(),
        limits: {
          heartbeatTimeoutMs: 10_000,
          cancelGraceMs: 5_000,
          historyEventsMax: 10_000,
          historyHoldMs: 10_000,
          ...limits,
        },
      };
      const start: WithWorkflowArgs<typeof taskWorkflow, WorkflowStartOptions> = {
        workflowId: taskId,
        taskQueue,
        args: [input],
        memo: { start: { caller: 'alice' } },
        workflowTaskTimeout: '10 seconds',
      };
      const handle =
        signal === undefined
          ? await client.workflow.start<typeof taskWorkflow>(TASK_WORKFLOW_TYPE, start)
          : await client.workflow.signalWithStart<typeof taskWorkflow, [MessageSignal]>(TASK_WORKFLOW_TYPE, {
              ...start,
              signal: messageSignal,
              signalArgs: [signal],
            });
      return runningTask(taskId, handle);
    },
    sleep: async (ms) => {
      if (skipping === undefined) throw new Error('time passes only on the time-skipping server');
      await skipping.environment.sleep(ms);
    },
    async withoutWorker(work) {
      await worker[Symbol.asyncDispose]();
      await work();
      worker = await startWorker();
    },
    async [Symbol.asyncDispose]() {
      await worker[Symbol.asyncDispose]();
      await skipping?.[Symbol.asyncDispose]();
    },
  };
}

function runningTask(taskId: string, handle: WorkflowHandle<typeof taskWorkflow>): RunningTask {
  const view = (): Promise<TaskView> => handle.query(getTaskQuery);
  const envelopeOf = (id: string, by: 'caller' | 'operator') =>
    ({ id, contentHash: `hash of ${id}`, by, at: new Date().toISOString() }) as const;
  return {
    taskId,
    handle,
    view,
    until: (check) =>
      eventually(async () => {
        const now = await view();
        return check(now) && now;
      }),
    say: (text, changes = {}) =>
      handle.signal(messageSignal, {
        ...envelopeOf(`say-${text}`, 'caller'),
        message: { messageId: `say-${text}`, role: 'ROLE_USER', parts: [{ text }] },
        ...changes,
      }),
    answer: (requestId, answer, by = 'operator') =>
      handle.signal(messageSignal, { ...envelopeOf(`answer-${requestId}`, by), requestId, answer }),
  };
}
