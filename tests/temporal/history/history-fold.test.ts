import { expect, it } from '@jest/globals';
import { defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import fc from 'fast-check';
import type { LogRecord, ProgressItem } from '../../../src/domain/task-log.ts';
import { createPayloadDecoder } from '../../../src/temporal/data-converter.ts';
import type { FoldedEvent, HistoryFold } from '../../../src/temporal/history/history-fold.ts';
import { foldEvent } from '../../../src/temporal/history/history-fold.ts';
import type { HistoryEvent } from '../../../src/temporal/history/history-page.ts';
import { isWorthTelling, toFollowItem } from '../../../src/temporal/history/task-follow-item.ts';
import type { TaskFollowItem } from '../../../src/temporal/tasks/task-workflows.ts';
import { chunk, says, taskInput, textMessage } from '../tasks/task-rig.ts';

const payloads = createPayloadDecoder({});
const runId = '01a22e9d-202a-7b60-a007-4dec9c6dce06';
const encode = (value: unknown) => ({ payloads: [defaultPayloadConverter.toPayload(value)] });

const workingStatus = { state: 'TASK_STATE_WORKING', timestamp: '2026-01-01T00:00:00.000Z' } as const;
const record: fc.Arbitrary<LogRecord> = fc.oneof(
  fc.constant({ type: 'status', status: workingStatus } as const),
  fc.record({
    type: fc.constant('artifact' as const),
    artifact: fc.constant({ artifactId: 'report', parts: [{ text: 'r' }] }),
  }),
  fc.record({ type: fc.constant('run-closed' as const), stageId: fc.constantFrom('a', 'b') }),
  fc.record({ type: fc.constant('settled' as const), requestId: fc.constant('unknown') }),
);
const progressItem: fc.Arbitrary<ProgressItem> = fc.oneof(
  fc.string({ maxLength: 5 }).map(says),
  fc.tuple(fc.string({ maxLength: 5 }), fc.boolean()).map(([text, append]) => chunk(text, append)),
);
const progress = fc.record({
  stageId: fc.constantFrom('a', 'b'),
  turn: fc.nat(1),
  attempt: fc.integer({ min: 1, max: 2 }),
  scheduledMs: fc.nat(2),
  seq: fc.integer({ min: 1, max: 4 }),
  items: fc.array(progressItem, { minLength: 1, maxLength: 3 }),
});

/** Attributes of one event; the many that are Temporal's own, among them. */
const event = fc.oneof(
  fc.array(record, { maxLength: 3 }).map((log) => ({
    workflowPropertiesModifiedEventAttributes: {
      upsertedMemo: {
        fields: { log: defaultPayloadConverter.toPayload(log), status: defaultPayloadConverter.toPayload('x') },
      },
    },
  })),
  progress.map((signal) => ({
    workflowExecutionSignaledEventAttributes: { signalName: 'progress', input: encode(signal) },
  })),
  fc.constantFrom('1', '2').map((id) => ({
    workflowExecutionSignaledEventAttributes: { signalName: 'message', input: encode(textMessage('hello', id)) },
  })),
  fc.constant({ workflowTaskCompletedEventAttributes: {} }),
);

function historyOf(attributes: readonly object[]): HistoryEvent[] {
  const all = [
    { workflowExecutionStartedEventAttributes: { input: encode(taskInput()) } },
    ...attributes,
    { workflowExecutionCompletedEventAttributes: {} },
  ];
  return all.map((each, index) => temporal.api.history.v1.HistoryEvent.create({ ...each, eventId: toLong(index + 1) }));
}

function toLong(value: number) {
  return temporal.api.history.v1.HistoryEvent.fromObject({ eventId: value }).eventId;
}

async function foldAll(history: readonly HistoryEvent[], from?: HistoryFold): Promise<FoldedEvent[]> {
  const all: FoldedEvent[] = [];
  let fold = from;
  for (const each of history) {
    const before = fold;
    const folded = await foldEvent(before, runId, each, payloads);
    if (folded === undefined) continue;
    fold = folded.fold;
    if (isWorthTelling(before, folded)) all.push(folded);
  }
  return all;
}

const shownOf = (items: readonly TaskFollowItem[]) => items.flatMap(({ shown }) => shown);

it('gives the same, in whatever portions the history is read and read again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 12 }), fc.nat(), fc.nat(), async (attributes, cut, back) => {
      const history = historyOf(attributes);
      const whole = await foldAll(history);
      const at = 1 + (cut % history.length);
      const first = await foldAll(history.slice(0, at));
      // A lost token: the events come again from anywhere before.
      const known = first.at(-1)?.fold ?? (await foldEvent(undefined, runId, history[0]!, payloads))?.fold;
      const rest = await foldAll(history.slice(back % at), known);
      expect([...first, ...rest].map((each) => toFollowItem(each))).toEqual(whole.map((each) => toFollowItem(each)));
    }),
    { numRuns: 60 },
  );
});

it('never gives two shown events one cursor', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 12 }), async (attributes) => {
      const shown = shownOf((await foldAll(historyOf(attributes))).map((each) => toFollowItem(each)));
      expect(new Set(shown.map(({ cursor }) => cursor)).size).toBe(shown.length);
    }),
    { numRuns: 60 },
  );
});
