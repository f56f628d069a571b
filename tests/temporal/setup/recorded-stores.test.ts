import { expect, it } from '@jest/globals';
import type { Connection } from '@temporalio/client';
import type { StoresPlace } from '../../../src/temporal/setup/recorded-stores.ts';
import { readRecordedStores, recordStores } from '../../../src/temporal/setup/recorded-stores.ts';
import { testServer, uniqueTaskQueue } from '../../support/environment.ts';

const ids = { payloads: 'p', artifacts: 'a' };

async function place(): Promise<StoresPlace> {
  const { connection, namespace } = testServer();
  return { connection: await connection(), namespace, taskQueue: uniqueTaskQueue() };
}

it('keeps one record for each task queue, beside all else that the namespace holds', async () => {
  const [one, other] = [await place(), await place()];
  expect(await readRecordedStores(one)).toBeUndefined();
  expect(await recordStores(one, ids)).toEqual(ids);
  expect(await recordStores(other, { ...ids, artifacts: 'other' })).toEqual({ ...ids, artifacts: 'other' });
  expect(await readRecordedStores(one)).toEqual(ids);
  const { namespaceInfo, config } = await one.connection.workflowService.describeNamespace({
    namespace: one.namespace,
  });
  expect(namespaceInfo?.description).not.toBe('');
  expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBeGreaterThan(0);
});

it.each([7, 12, 16])('says so when the namespace may not be changed (gRPC status %i)', async (code) => {
  const here = await place();
  const refuse = () => Promise.reject(Object.assign(new Error('no'), { code, details: 'no', metadata: {} }));
  const connection = Object.create(here.connection, {
    workflowService: { value: { updateNamespace: refuse, describeNamespace: refuse } },
  }) as Connection;
  expect(await recordStores({ ...here, connection }, ids)).toBeUndefined();
  expect(await readRecordedStores({ ...here, connection })).toBeUndefined();
});

it('names the namespace that is not there', async () => {
  await expect(readRecordedStores({ ...(await place()), namespace: 'nowhere' })).rejects.toThrow(
    /no namespace "nowhere": run "longhaul setup"/,
  );
});
