import { describe, expect, it } from '@jest/globals';
import { HistoryRoom, type HistoryState } from '../../workflows/history-room.ts';
import { eventually } from '../support/eventually.ts';
import { publicationOf, stageOf, startTaskRig } from '../support/task-rig.ts';

const MEBIBYTE = 1024 * 1024;
const short: HistoryState = { historyLength: 10, historySize: 1_000, continueAsNewSuggested: false };
const long: HistoryState = { historyLength: 5_000, historySize: MEBIBYTE, continueAsNewSuggested: true };

function roomAt(state: HistoryState) {
  const now = { ...state };
  const held: { times: number; end: () => void } = { times: 0, end: () => undefined };
  const room = new HistoryRoom({
    state: () => now,
    sleep: () => {
      held.times += 1;
      return new Promise((resolve) => {
        held.end = resolve;
      });
    },
    holdMs: 1,
    eventsMax: 10_000,
  });
  let freed = 0;
  const mayStart = (isIdle = false): boolean => room.mayStart(isIdle, () => (freed += 1));
  return { now, held, room, mayStart, freed: () => freed };
}

describe('the room of a history', () => {
  it.each([
    ['a short one', short, true],
    ['one that Temporal calls long', long, false],
    ['one of as many events as it may have', { ...short, historyLength: 10_000 }, false],
  ])('lets stages start in %s: %3$s', (_name, state, may) => {
    expect(roomAt(state).mayStart()).toBe(may);
  });

  it('holds starts for a while, and for a few thousand events not again', async () => {
    const { now, held, mayStart, freed } = roomAt(long);
    expect([mayStart(), mayStart(), held.times]).toEqual([false, false, 1]);
    held.end();
    await eventually(() => freed() === 1);
    expect([mayStart(), held.times]).toEqual([true, 1]);
    now.historyLength += 3_999;
    expect([mayStart(), held.times]).toEqual([true, 1]);
    now.historyLength += 1;
    expect([mayStart(), held.times]).toEqual([false, 2]);
  });

  it('holds them with no end when nothing is open, as the workflow is then continued as new', () => {
    const { held, mayStart } = roomAt(long);
    expect([mayStart(true), held.times]).toEqual([false, 0]);
  });

  it.each([
    ['events', { historyLength: 35_000 }],
    ['bytes', { historySize: 35 * MEBIBYTE }],
  ])('holds them to the end near the limit of %s', async (_name, state) => {
    const { now, held, mayStart, freed } = roomAt(long);
    mayStart();
    held.end();
    await eventually(() => freed() === 1);
    Object.assign(now, state);
    expect([mayStart(), held.times]).toEqual([false, 1]);
  });

  it.each([
    [{ historyLength: 44_999, historySize: 45 * MEBIBYTE - 1 }, false],
    [{ historyLength: 45_000 }, true],
    [{ historySize: 45 * MEBIBYTE }, true],
  ])('is full at %j: %s', (state, isFull) => {
    expect(roomAt({ ...long, ...state }).room.isFull).toBe(isFull);
  });
});

it('a stage of hours does not hold up its siblings, however long the history gets', async () => {
  const end = Promise.withResolvers<undefined>();
  const names = Array.from({ length: 8 }, (_, index) => `short${index}`);
  const ran: string[] = [];
  const done = { outcome: 'envelope', envelope: { summary: 'done', artifacts: [] } } as const;
  await using rig = await startTaskRig({
    hours: async () => (await end.promise, done),
    ...Object.fromEntries(names.map((name) => [name, async () => (ran.push(name), done)])),
    last: async () => done,
  });
  const chain = names.map((name, index) => stageOf(name, { needs: names.slice(0, index).slice(-1) }));
  const task = await rig.start(
    publicationOf({
      id: 'hours',
      stages: [stageOf('hours'), ...chain, stageOf('last', { needs: ['hours', 'short7'] })],
    }),
    { limits: { historyEventsMax: 20, historyHoldMs: 200 } },
  );
  await eventually(() => ran.length === names.length).finally(() => end.resolve(undefined));
  await task.handle.result();
  expect(ran).toEqual(names);
  // And it was continued as new as soon as nothing was open.
  expect((await task.handle.describe()).raw.workflowExecutionInfo?.firstRunId).not.toBe(
    (await task.handle.describe()).runId,
  );
});
