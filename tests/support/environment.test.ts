import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { monthWorkflow } from './month-workflow.ts';
import { createTimeSkipping, startTestWorker, uniqueTaskQueue } from './environment.ts';

describe('createTimeSkipping', () => {
  it('lets a month pass at once, with our search attributes in use', async () => {
    await using server = await createTimeSkipping();
    const taskQueue = uniqueTaskQueue();
    await using _worker = await startTestWorker({
      connection: server.environment.nativeConnection,
      namespace: server.namespace,
      taskQueue,
      workflowsPath: join(import.meta.dirname, 'month-workflow.ts'),
    });

    const days = await server.environment.client.workflow.execute<typeof monthWorkflow>('monthWorkflow', {
      workflowId: taskQueue,
      taskQueue,
      typedSearchAttributes: [
        { key: defineSearchAttributeKey('A2aCaller', 'KEYWORD'), value: 'a' },
        { key: defineSearchAttributeKey('A2aUpdated', 'DATETIME'), value: new Date(0) },
        { key: defineSearchAttributeKey('A2aOpenQuestions', 'INT'), value: 0 },
      ],
    });

    expect(days).toBeGreaterThanOrEqual(30);
  });
});
