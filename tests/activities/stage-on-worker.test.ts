import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createActivities } from '../../activities/index.ts';
import type { Executor } from '../../src/domain/executor.ts';
import { createFolderArtifactStore } from '../../src/storage/artifact-store-folder.ts';
import { createKeptValues } from '../../src/storage/kept-values.ts';
import { createPayloadStore } from '../../src/storage/payload-store.ts';
import { createFolderStepStore } from '../../src/storage/step-store-folder.ts';
import { createProgressSender } from '../../src/temporal/tasks/task-progress-sender.ts';
import { startTestWorker, temporaryFolder } from '../support/environment.ts';
import type { RunningWorker } from '../support/environment.ts';
import { createTaskRig, followToEnd, stage, startTask, taskInput } from '../temporal/tasks/task-rig.ts';
import type { TaskRig } from '../temporal/tasks/task-rig.ts';

let rig: TaskRig;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  rig = await createTaskRig();
  folder = await temporaryFolder();
  const source = 'export const run = (context) => globalThis.executorOnWorker(context);';
  await writeFile(join(folder.path, 'executor.mjs'), source);
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

function startWorker(): Promise<RunningWorker> {
  const { connection, client, taskQueue, dataConverter } = rig;
  const log = () => undefined;
  return startTestWorker({
    taskQueue,
    dataConverter,
    shutdownGraceTime: 0,
    maxHeartbeatThrottleInterval: 100,
    activities: createActivities({
      sendProgress: createProgressSender({ connection, temporalClient: client }),
      artifacts: createFolderArtifactStore(join(folder.path, 'artifacts')),
      kept: createKeptValues(createPayloadStore({ directory: join(folder.path, 'payloads') })),
      steps: createFolderStepStore(join(folder.path, 'steps')),
      configDirectory: folder.path,
      environment: {},
      log: { info: log, warn: log },
    }),
  });
}

function start(executor: Executor): Promise<string> {
  (globalThis as Record<string, unknown>)['executorOnWorker'] = executor;
  const work = stage('work', {
    executor: { kind: 'function', module: join(folder.path, 'executor.mjs'), export: 'run' },
  });
  const input = taskInput({ stages: [work] });
  return startTask(rig.tasks, { ...input, limits: { ...input.limits, cancelGraceMs: 30_000 } });
}

async function endOf(taskId: string) {
  return (await followToEnd(rig.tasks, taskId)).at(-1)!.view.task;
}

describe('a stage on a real worker', () => {
  it('goes on elsewhere when its worker shuts down, and uses up no retry', async () => {
    const started = Promise.withResolvers<undefined>();
    const attempts: number[] = [];
    const taskId = await start(async ({ attempt, signal, stream, step }) => {
      attempts.push(attempt);
      await step('once', () => attempt);
      await stream(`attempt ${attempt} `);
      if (attempt > 1) return { summary: '', payload: await step('once', () => -1) };
      const aborted = once(signal, 'abort');
      started.resolve(undefined);
      await aborted;
      throw signal.reason;
    });
    {
      await using _first = await startWorker();
      await started.promise;
    }
    await using _second = await startWorker();
    const task = await endOf(taskId);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(attempts).toEqual([1, 2]);
    const partsOf = (id: string) => task.artifacts.find(({ artifactId }) => artifactId === id)?.parts;
    expect(partsOf('answer')).toEqual([{ text: 'attempt 2 ', mediaType: 'text/plain' }]);
    expect(partsOf('result')).toMatchObject([{ data: 1 }]);
  });

  it('has stopped when its task is canceled', async () => {
    await using _worker = await startWorker();
    const started = Promise.withResolvers<undefined>();
    let hasStopped = false;
    const taskId = await start(async ({ signal }) => {
      const aborted = once(signal, 'abort');
      started.resolve(undefined);
      await aborted;
      hasStopped = true;
      throw signal.reason;
    });
    await started.promise;
    await rig.tasks.requestCancel(taskId);
    expect((await endOf(taskId)).status.state).toBe('TASK_STATE_CANCELED');
    expect(hasStopped).toBe(true);
  });

  it('fails alone when what its executor throws is no Unicode: the worker lives on', async () => {
    await using _worker = await startWorker();
    const failed = await start(() => {
      throw Object.assign(new Error('half \ud83d'), { retryable: false });
    });
    expect((await endOf(failed)).status.state).toBe('TASK_STATE_FAILED');
    const next = await start(() => ({ summary: 'done' }));
    expect((await endOf(next)).status.state).toBe('TASK_STATE_COMPLETED');
  });
});
