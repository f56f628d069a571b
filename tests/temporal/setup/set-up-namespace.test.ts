import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { setUpNamespace } from '../../../src/temporal/setup/set-up-namespace.ts';
import { testServer } from '../../support/environment.ts';

describe('setUpNamespace', () => {
  it('makes a usable namespace when several processes set it up at once', async () => {
    const connection = await testServer().connection();
    const namespace = `setup-${randomUUID()}`;

    await Promise.all(Array.from({ length: 4 }, () => setUpNamespace(connection, { namespace, retentionDays: 30 })));

    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    expect(customAttributes).toMatchObject({ A2aCaller: 2, A2aPublication: 2, A2aContext: 2, A2aState: 2, A2aUpdated: 6, A2aOpenQuestions: 3 });
    const { config } = await connection.workflowService.describeNamespace({ namespace });
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 86_400);
  });

  it('lets a workflow start with every search attribute at once', async () => {
    const namespace = `setup-${randomUUID()}`;
    const connection = await testServer().connection();
    await setUpNamespace(connection, { namespace });
    const { Client } = await import('@temporalio/client');
    const client = new Client({ connection, namespace });
    const handle = await client.workflow.start('nobody', {
      workflowId: 'first',
      taskQueue: 'nobody',
      searchAttributes: {
        A2aCaller: ['a'], A2aPublication: ['p'], A2aContext: ['c'], A2aState: ['s'], A2aUpdated: [new Date(0)], A2aOpenQuestions: [0],
      },
    });
    await handle.terminate();
  });

  it('refuses an attribute that has another type, naming it', async () => {
    const connection = await testServer().connection();
    const namespace = `setup-${randomUUID()}`;
    await setUpNamespace(connection, { namespace });
    await connection.operatorService.removeSearchAttributes({ namespace, searchAttributes: ['A2aOpenQuestions'] });
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: { A2aOpenQuestions: 2 } });

    await expect(setUpNamespace(connection, { namespace })).rejects.toThrow(/A2aOpenQuestions .* must be of type Int/);
  });
});
