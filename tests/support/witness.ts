/** What must be true of a task of tests/support/task-life.ts that has ended, whatever died meanwhile. */
import { expect } from '@jest/globals';
import type { Client } from '@temporalio/client';
import type { Task } from '../../src/domain/a2a.ts';
import type { LogEntry, LogRecord } from '../../src/domain/task-log.ts';
import { canBecome } from '../../src/domain/task-state.ts';
import { createPayloadDecoder } from '../../src/temporal/data-converter.ts';
import { type HistoryFold, foldEvent } from '../../src/temporal/history/history-fold.ts';
import { toHistoryStep } from '../../src/temporal/history/history-step.ts';
import { formatCursor } from '../../src/temporal/history/task-cursor.ts';
import type { Deployment, StubCall } from './deployment.ts';
import type { SseEvent } from './gateway.ts';
import { answerIdOf, answerTo, type SeenLife, stateIn } from './task-life.ts';

const STAGES = ['work', 'ask', 'write', 'close'] as const;
const ASKED = ['colour', 'size'] as const;
/** Every state that a caller sees, in order; none comes again once it is over. */
const STATES = [
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  ...ASKED.flatMap(() => ['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_WORKING']),
  'TASK_STATE_COMPLETED',
];
const payloads = createPayloadDecoder({});

interface TaskLog {
  readonly entries: readonly LogEntry[];
  /** What a stream shows of it, with its IDs. */
  readonly shown: readonly { readonly id: string; readonly response: unknown }[];
  readonly fold: HistoryFold;
  readonly scheduled: number;
  readonly completed: number;
}

/** @param name of the life. @throws what Jest throws, where something is not as it must be. */
export async function expectWholeLife(
  { deployment, client }: { deployment: Deployment; client: Client },
  name: string,
  seen: SeenLife,
): Promise<void> {
  const log = await readLog(client, seen.taskId);
  expectRightEnd(name, seen.task);
  expectOnceEach(log);
  await expectStreamIsLog(deployment, seen, log);
  expectForward(seen);
  expectStagesKnown(await deployment.calls({ messageId: name }), name);
  await expectFile(deployment, name, seen.task, 'final.md');
}

async function readLog(client: Client, taskId: string): Promise<TaskLog> {
  const handle = client.workflow.getHandle(taskId);
  const { runId, status } = await handle.describe();
  expect(status.name).toBe('COMPLETED');
  const { events } = await handle.fetchHistory();
  const all = events ?? [];
  const entries: LogEntry[] = [];
  const shown: { id: string; response: unknown }[] = [];
  let fold: HistoryFold | undefined;
  for (const event of all) {
    const step = await toHistoryStep(event, payloads);
    if (step?.step === 'logged') entries.push(...step.entries);
    const folded = await foldEvent(fold, runId, event, payloads);
    if (folded === undefined) continue;
    fold = folded.fold;
    const eventId = Number(event.eventId);
    for (const [index, response] of folded.shown.entries()) {
      shown.push({ id: formatCursor({ runId, eventId, index }), response });
    }
  }
  if (fold === undefined) throw new Error(`The history of ${taskId} does not begin`);
  return {
    entries,
    shown,
    fold,
    scheduled: all.filter((event) => event.activityTaskScheduledEventAttributes != null).length,
    completed: all.filter((event) => event.activityTaskCompletedEventAttributes != null).length,
  };
}

function expectRightEnd(name: string, task: Task): void {
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  const result = task.artifacts?.find(({ artifactId }) => artifactId === 'result');
  expect(result?.parts[0]?.data).toEqual({ answer: wholeAnswer(name) });
  const said = task.history?.filter(({ role }) => role === 'ROLE_USER').map(({ messageId }) => messageId);
  expect(said).toEqual([name, ...ASKED.map((asked) => answerIdOf(asked, name))]);
  expect(task.history?.filter(({ role }) => role === 'ROLE_AGENT')).toHaveLength(ASKED.length); // the questions
}

/** One envelope of each stage, each question and its answer once, one end. */
function expectOnceEach({ entries, scheduled, completed }: TaskLog): void {
  const records = entries.flatMap((entry) => (entry.entry === 'record' ? [entry.record] : []));
  const of = <Type extends LogRecord['type']>(type: Type): Extract<LogRecord, { type: Type }>[] =>
    records.filter((record): record is Extract<LogRecord, { type: Type }> => record.type === type);
  expect(of('run-closed').map(({ stageId }) => stageId)).toEqual(STAGES);
  // The stage that asks runs once more for each answer.
  const runs = STAGES.length + ASKED.length;
  expect({ scheduled, completed }).toEqual({ scheduled: runs, completed: runs });
  const asked = of('asked').map(({ question }) => question);
  expect(asked.map(({ message }) => message)).toEqual(ASKED.map((each) => `What ${each}?`));
  const requestIds = asked.map(({ requestId }) => requestId);
  expect(of('settled').map(({ requestId }) => requestId)).toEqual(requestIds);
  const receipts = of('receipt').map(({ receipt: { outcome, requestId } }) => ({ outcome, requestId }));
  expect(receipts).toEqual(requestIds.map((requestId) => ({ outcome: 'answered', requestId })));
  const ends = of('status').filter(({ status }) => status.state === 'TASK_STATE_COMPLETED');
  expect(ends).toHaveLength(1);
}

/** Behind the first snapshot: all that the log shows, each thing once and in order, over every cut. */
async function expectStreamIsLog(deployment: Deployment, { taskId, events }: SeenLife, log: TaskLog): Promise<void> {
  const [snapshot, ...rest] = events;
  expect(snapshot?.data.result.task?.id).toBe(taskId);
  const cursor = snapshot?.id ?? '';
  const place = log.shown.findLastIndex(({ id }) => isUpTo(id, cursor));
  expect(idsOf(rest)).toEqual(log.shown.slice(place + 1).map(({ id }) => id));
  // And a reader who missed it all, and comes back now, is told the very same.
  await using stream = await deployment.stream(
    'SubscribeToTask',
    { id: taskId },
    { headers: { 'Last-Event-ID': cursor } },
  );
  expect(await stream.rest()).toEqual(rest);
  expect(log.fold.view.task.status).toEqual((await deployment.task(taskId)).status);
}

function expectForward({ events, samples }: SeenLife): void {
  for (const statuses of [
    events.flatMap((event) => (stateIn(event) === undefined ? [] : [statusIn(event)])),
    samples.map(({ status }) => status),
  ]) {
    const states = statuses.map(({ state }) => state).filter((state, index, all) => state !== all[index - 1]);
    expect(states.filter((state, index) => index > 0 && !canBecome(states[index - 1]!, state))).toEqual([]);
    expect(isPartOf(states, STATES) ? 'forward' : states).toBe('forward');
    const times = statuses.map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted());
  }
  const lengths = samples.map(({ history = [] }) => history.length);
  expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
}

/** Stages run at least once, always under the same key, and hear what was answered and nothing else. */
function expectStagesKnown(calls: readonly StubCall[], name: string): void {
  for (const stage of STAGES) {
    const own = calls.filter(({ text, event }) => text === stage && event !== 'waits');
    expect(own.map(({ event }) => event)).toContain('returned');
    expect(new Set(own.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  }
  const heard = calls.filter(({ event }) => event === 'heard').map(({ text }) => text);
  expect(new Set(heard)).toEqual(new Set(ASKED.map((asked) => answerTo(asked, name))));
}

async function expectFile(deployment: Deployment, name: string, task: Task, file: string): Promise<void> {
  const [artifact, ...more] = task.artifacts?.filter((each) => each.name === file) ?? [];
  expect(more).toEqual([]);
  const { pathname } = new URL(artifact?.parts[0]?.url ?? '', deployment.url());
  const response = await fetch(`${deployment.url()}${pathname}`, { headers: deployment.headers() });
  expect(await response.text()).toBe(`All is ${wholeAnswer(name)}.`);
}

function wholeAnswer(name: string): string {
  return ASKED.map((asked) => answerTo(asked, name)).join(' and ');
}

function statusIn({ data }: SseEvent): Task['status'] {
  return (data.result.task ?? data.result.statusUpdate).status as Task['status'];
}

function idsOf(events: readonly SseEvent[]): readonly (string | undefined)[] {
  return events.map(({ id }) => id);
}

/** Cursors of one run: by event, and by place in it. */
function isUpTo(id: string, cursor: string): boolean {
  const [[, event = 0, index = 0], [, lastEvent = 0, lastIndex = 0]] = [id, cursor].map((each) =>
    each.split('.').map(Number),
  ) as [number[], number[]];
  return event < lastEvent || (event === lastEvent && index <= lastIndex);
}

/** Left out is what nobody happened to see; the order holds. */
function isPartOf(some: readonly string[], all: readonly string[]): boolean {
  let place = 0;
  for (const each of some) {
    place = all.indexOf(each, place) + 1;
    if (place === 0) return false;
  }
  return true;
}
