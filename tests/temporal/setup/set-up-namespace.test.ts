import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Client } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { INDEXED_VALUE_TYPES } from '../../../src/temporal/setup/search-attributes.ts';
import { setUpNamespace } from '../../../src/temporal/setup/set-up-namespace.ts';
import { testServer } from '../../support/environment.ts';

describe('setUpNamespace', () => {
  it('makes a usable namespace when several processes set it up at once', async () => {
    const connection = await testServer().connection();
    const namespace = `setup-${randomUUID()}`;

    await Promise.all(Array.from({ length: 4 }, () => setUpNamespace(connection, { namespace, retentionDays: 30 })));

    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    expect(customAttributes).toMatchObject({
      A2aCaller: 2,
      A2aPublication: 2,
      A2aContext: 2,
      A2aState: 2,
      A2aUpdated: 6,
      A2aOpenQuestions: 3,
    });
    const { config } = await connection.workflowService.describeNamespace({ namespace });
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 86_400);
  });

  it('lets a workflow start with every search attribute at once', async () => {
    const namespace = `setup-${randomUUID()}`;
    const connection = await testServer().connection();
    await setUpNamespace(connection, { namespace });
    const client = new Client({ connection, namespace });
    const handle = await client.workflow.start('nobody', {
      workflowId: 'first',
      taskQueue: 'nobody',
      typedSearchAttributes: [
        ...(['A2aCaller', 'A2aPublication', 'A2aContext', 'A2aState'] as const).map((name) => ({
          key: defineSearchAttributeKey(name, 'KEYWORD'),
          value: 'x',
        })),
        { key: defineSearchAttributeKey('A2aUpdated', 'DATETIME'), value: new Date(0) },
        { key: defineSearchAttributeKey('A2aOpenQuestions', 'INT'), value: 0 },
      ],
    });
    await handle.terminate();
  });

  it('refuses an attribute that has another type, naming it', async () => {
    const connection = await testServer().connection();
    const namespace = `setup-${randomUUID()}`;
    await setUpNamespace(connection, { namespace });
    await connection.operatorService.removeSearchAttributes({ namespace, searchAttributes: ['A2aOpenQuestions'] });
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries([['A2aOpenQuestions', INDEXED_VALUE_TYPES.Keyword]]),
    });

    await expect(setUpNamespace(connection, { namespace })).rejects.toThrow(/A2aOpenQuestions .* must be of type Int/);
  });
});
