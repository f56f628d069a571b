import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DefaultLogger, Worker, bundleWorkflowCode } from '@temporalio/worker';
import { createPayloadStore } from '../../src/storage/payload-store.ts';
import { createDataConverter, createPayloadDecoder } from '../../src/temporal/data-converter.ts';
import { startTestWorker, temporaryFolder, testServer, uniqueTaskQueue } from '../support/environment.ts';
import type { bigPayloadWorkflow } from '../support/big-payload-workflow.ts';
import { bigQuery, bigSignal } from '../support/big-payload-workflow.ts';

const WORKFLOWS_PATH = join(import.meta.dirname, '../support/big-payload-workflow.ts');
const activities = { makeText: (seed: string, characters: number) => Promise.resolve(seed.padEnd(characters, 'é')) };
/** Text with every kind of character, that does not repeat. */
const bigText = (bytes: number): string => `é\u2028"\\\u0001😀${randomBytes(bytes / 2).toString('hex')}`;

describe('createDataConverter', () => {
  it('carries big arguments, signals, query and activity results byte for byte, and keeps the history small', async () => {
    await using folder = await temporaryFolder();
    const dataConverter = createDataConverter({ payloadStore: createPayloadStore({ directory: folder.path }) });
    const workflowBundle = await bundleWorkflowCode({
      workflowsPath: WORKFLOWS_PATH,
      logger: new DefaultLogger('WARN'),
    });
    const taskQueue = uniqueTaskQueue();
    await using _worker = await startTestWorker({ taskQueue, workflowBundle, activities, dataConverter });
    const client = await testServer().client({ dataConverter });
    const [argument, signal] = [bigText(5_000_000), bigText(3_000_000)];

    const handle = await client.workflow.start<typeof bigPayloadWorkflow>('bigPayloadWorkflow', {
      workflowId: taskQueue,
      taskQueue,
      args: [argument],
    });
    await handle.signal(bigSignal, signal);
    const result = await handle.result();
    const made = await activities.makeText('result', 2_000_000);

    expect(result === argument + signal + made).toBe(true);
    expect((await handle.query(bigQuery)) === argument + signal).toBe(true);
    const { historySize, memo } = await handle.describe();
    expect(historySize).toBeLessThan(20_000);
    expect(memo?.['big'] === made).toBe(true);

    // What comes raw from the API is decoded by our own decoder…
    const { history } = await (
      await testServer().connection()
    ).workflowService.getWorkflowExecutionHistory({
      namespace: testServer().namespace,
      execution: { workflowId: taskQueue },
    });
    const decoder = createPayloadDecoder(dataConverter);
    const events = history?.events ?? [];
    const started = events.find((event) => event.workflowExecutionStartedEventAttributes);
    const signaled = events.find((event) => event.workflowExecutionSignaledEventAttributes);
    const upserted = events.find((event) => event.workflowPropertiesModifiedEventAttributes);
    expect(
      (await decoder.decodeFirst(started?.workflowExecutionStartedEventAttributes?.input?.payloads)) === argument,
    ).toBe(true);
    expect(
      (await decoder.decodeFirst(signaled?.workflowExecutionSignaledEventAttributes?.input?.payloads)) === signal,
    ).toBe(true);
    expect(
      (await decoder.decodeFields(upserted?.workflowPropertiesModifiedEventAttributes?.upsertedMemo?.fields))['big'] ===
        made,
    ).toBe(true);

    // …and a recorded history replays.
    await Worker.runReplayHistory({ workflowBundle, dataConverter }, { events });
  });

  it('leaves small payloads inline', async () => {
    await using folder = await temporaryFolder();
    const dataConverter = createDataConverter({ payloadStore: createPayloadStore({ directory: folder.path }) });
    const client = await testServer().client({ dataConverter });
    const workflowId = uniqueTaskQueue();
    const handle = await client.workflow.start('nobody', {
      workflowId,
      taskQueue: workflowId,
      args: [{ text: 'x'.repeat(30_000) }],
    });
    const plain = await (await testServer().client()).workflow.getHandle(workflowId).fetchHistory();
    expect(
      plain.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data?.length,
    ).toBeGreaterThan(30_000);
    await handle.terminate();
  });
});

describe('createPayloadDecoder', () => {
  it('gives nothing for absent payloads and fields', async () => {
    const decoder = createPayloadDecoder({});
    expect(await decoder.decodeAll(undefined)).toEqual([]);
    expect(await decoder.decodeFirst(null)).toBeUndefined();
    expect(await decoder.decodeFields(undefined)).toEqual({});
  });
});
