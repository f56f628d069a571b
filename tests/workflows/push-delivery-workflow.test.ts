import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { PushActivities } from '../../activities/index.ts';
import type { PushRound, PushRoundEnd } from '../../src/domain/push-round.ts';
import type { Webhook } from '../../src/domain/webhook.ts';
import {
  newsSignal,
  PUSH_DELIVERY_WORKFLOW_TYPE,
  type PushDeliveryMemo,
  pushDeliveryId,
  type PushLimits,
  pushTaskQueue,
  retryParkedSignal,
  webhookChangeSignal,
} from '../../workflows/push-delivery-contract.ts';
import { createTimeSkipping, startTestWorker, uniqueTaskQueue } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';

const LIMITS: PushLimits = {
  attemptsMax: 4,
  retryDelayMs: 2_000,
  retryDelayMsMax: 900_000,
  keepMs: 2_592_000_000,
  historyEventsMax: 10_000,
};

const webhook = (id: string, fingerprint = `print of ${id}`): Webhook => ({
  id,
  sealed: 'sealed',
  host: `${id}.example.com`,
  fingerprint,
  wireVersion: '1.0',
  from: 'run.1.0',
  registeredAt: '2026-01-01T00:00:00.000Z',
});

type Script = (round: PushRound, count: number) => PushRoundEnd['end'] | Partial<PushRoundEnd>;

/** Deliveries whose rounds come out as the script says, on a server whose clock jumps. */
async function startRig(script: Script, awaitTaskTurn: PushActivities['awaitTaskTurn'] = goesOn) {
  await using resources = new AsyncDisposableStack();
  const skipping = resources.use(await createTimeSkipping());
  const { client, nativeConnection: connection } = skipping.environment;
  const taskQueue = uniqueTaskQueue();
  const rounds: (PushRound & { atMs: number })[] = [];
  const activities: PushActivities = {
    async deliverPushEvents(round) {
      rounds.push({ ...round, atMs: await skipping.environment.currentTimeMs() });
      const { webhookId, at, hasBegun } = round;
      const end = script(round, rounds.filter((each) => each.webhookId === webhookId).length);
      return { at, hasBegun, delivered: 0, ...(typeof end === 'string' ? { end } : { end: 'more', ...end }) };
    },
    awaitTaskTurn,
  };
  const { namespace } = skipping;
  resources.use(await startTestWorker({ taskQueue, connection, namespace }));
  resources.use(await startTestWorker({ taskQueue: pushTaskQueue(taskQueue), connection, namespace, activities }));
  const owned = resources.move();
  return {
    rounds,
    sleep: (ms: number) => skipping.environment.sleep(ms),
    start: (limits: Partial<PushLimits> = {}) => startDelivery(client, taskQueue, { ...LIMITS, ...limits }),
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}

const goesOn: PushActivities['awaitTaskTurn'] = async () => {
  throw ApplicationFailure.create({ message: 'goes on', nextRetryDelay: '5 minutes' });
};

async function startDelivery(client: Client, taskQueue: string, limits: PushLimits) {
  const taskId = `task-${randomUUID()}`;
  const handle = await client.workflow.signalWithStart(PUSH_DELIVERY_WORKFLOW_TYPE, {
    workflowId: pushDeliveryId(taskId),
    taskQueue,
    args: [{ taskId, limits }],
    signal: webhookChangeSignal,
    signalArgs: [{ signalId: 'first', set: webhook('a') }],
  });
  return {
    handle,
    set: (each: Webhook) => handle.signal(webhookChangeSignal, { signalId: randomUUID(), set: each }),
    remove: (id: string) => handle.signal(webhookChangeSignal, { signalId: randomUUID(), deleted: id }),
    webhooks: async () => ((await handle.describe()).memo as unknown as PushDeliveryMemo).webhooks,
  };
}

const failed = (isFinal = false, retryAfterMs?: number): Partial<PushRoundEnd> => ({
  end: 'failed',
  failure: { reason: 'HTTP 500', isFinal, ...(retryAfterMs !== undefined && { retryAfterMs }) },
});

describe('a delivery', () => {
  it('waits longer after each failure, parks after the last, and goes on from there when it is wanted', async () => {
    let isUp = false;
    await using rig = await startRig(({ at }) =>
      isUp ? { at: 'run.9.0', end: 'task-ended', delivered: 1 } : { at, ...failed() },
    );
    const { handle, webhooks } = await rig.start();
    await rig.sleep(60_000);
    await eventually(async () => (await webhooks())[0]?.state === 'parked');
    const gaps = rig.rounds.slice(1).map(({ atMs }, index) => atMs - rig.rounds[index]!.atMs);
    expect(rig.rounds).toHaveLength(4);
    for (const [index, gap] of gaps.entries()) {
      expect(gap).toBeGreaterThanOrEqual(2_000 * 2 ** index);
      expect(gap).toBeLessThan(2_000 * 2 ** index * 1.2 + 2_000);
    }
    expect((await webhooks())[0]).toMatchObject({ failures: 4, reason: 'HTTP 500', parkedAt: expect.any(String) });

    isUp = true;
    await handle.signal(retryParkedSignal, { webhookId: 'a' });
    await eventually(async () => rig.rounds.length === 5);
    expect(rig.rounds[4]).toMatchObject({ at: 'run.1.0', hasBegun: false });
    await handle.result(); // after thirty days
  });

  it('heeds Retry-After, and parks at once what is gone for good', async () => {
    await using rig = await startRig((_round, count) => (count === 1 ? failed(false, 120_000) : failed(true)));
    const { webhooks } = await rig.start();
    await rig.sleep(119_000);
    expect(rig.rounds).toHaveLength(1);
    await rig.sleep(5_000);
    await eventually(async () => (await webhooks())[0]?.state === 'parked');
    expect(rig.rounds).toHaveLength(2);
  });

  it('counts failures in a row: what was taken between them makes up for them', async () => {
    await using rig = await startRig((_round, count) =>
      count < 12 ? { ...failed(), delivered: count % 3 === 0 ? 1 : 0 } : 'task-ended',
    );
    const { handle } = await rig.start();
    await handle.result();
    expect(rig.rounds).toHaveLength(12);
  });

  it('ends when the last webhook is deleted', async () => {
    await using rig = await startRig(() => failed());
    const { handle, remove } = await rig.start({ retryDelayMs: 3_600_000, retryDelayMsMax: 3_600_000 });
    await eventually(() => rig.rounds.length === 1);
    await remove('a');
    await handle.result();
    expect(rig.rounds).toHaveLength(1);
  });

  it('begins anew with a webhook that replaces another, and lets others be', async () => {
    await using rig = await startRig(({ fingerprint }) => (fingerprint === 'new' ? 'task-ended' : failed(true)));
    const { handle, set, webhooks } = await rig.start();
    await set(webhook('b'));
    await eventually(async () => (await webhooks()).filter(({ state }) => state === 'parked').length === 2);
    await set({ ...webhook('a', 'new'), from: 'run.5.0' });
    await eventually(() => rig.rounds.some(({ fingerprint, at }) => fingerprint === 'new' && at === 'run.5.0'));
    expect(rig.rounds.filter(({ webhookId }) => webhookId === 'b')).toHaveLength(1);
    await handle.result();
  });

  it('goes on looking when the task cannot be asked to tell', async () => {
    // The task is not there, which is like one that has ended: the delivery goes on looking.
    await using rig = await startRig(({ isLive }, count) => (isLive && count < 3 ? 'idle' : 'task-ended'));
    const { handle } = await rig.start();
    await handle.result();
    expect(rig.rounds.map(({ isLive }) => isLive)).toEqual([true, true, true]);
  });

  it('is the same after it has continued as new', async () => {
    await using rig = await startRig(({ at }, count) =>
      count < 40 ? { at: `run.${Number(at.split('.')[1]) + 1}.0`, hasBegun: true, delivered: 1 } : 'task-ended',
    );
    const { handle, webhooks } = await rig.start({ historyEventsMax: 60 });
    const { runId } = await handle.describe();
    await handle.result();
    expect(rig.rounds.at(-1)!.at).toBe('run.40.0');
    expect((await webhooks())[0]).toMatchObject({ id: 'a', state: 'done' });
    expect((await handle.describe()).runId).not.toBe(runId);
  });

  it('takes no notice of signals that make no sense', async () => {
    await using rig = await startRig(() => 'task-ended');
    const { handle } = await rig.start();
    await handle.signal(webhookChangeSignal, { nonsense: true } as never);
    await handle.signal(newsSignal);
    await handle.signal(retryParkedSignal, { webhookId: 'nobody' });
    await handle.result();
  });
});
