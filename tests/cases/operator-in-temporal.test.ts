/** What an operator does to a task in Temporal's UI, its CLI or over its API, as the task's caller sees it. */
import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { defaultPayloadConverter } from '@temporalio/common';
import type { Task } from '../../src/domain/a2a.ts';
import { TASK_WORKFLOW_TYPE } from '../../workflows/task-contract.ts';
import { sharedDeployment } from '../support/deployment.ts';
import { testServer } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import type { EventStream, SseEvent } from '../support/gateway.ts';
import type { HistoryEvent } from '../support/watched-stages.ts';
import { operatorOfTemporal, seen, startWatched, WATCHED } from '../support/watched-stages.ts';

const deployment = sharedDeployment({ ...WATCHED, gateways: 2 });

const isStageStart = (event: HistoryEvent): boolean => event.activityTaskScheduledEventAttributes != null;

async function atWork(text: string): Promise<string> {
  const id = await startWatched(deployment(), text);
  await eventually(async () => (await deployment().task(id)).artifacts);
  return id;
}

/** The task, which both gateways must tell alike. */
async function taskOf(id: string): Promise<Task> {
  const [task, other] = await Promise.all([0, 1].map((gateway) => deployment().task(id, { gateway })));
  expect(other).toEqual(task);
  return task!;
}

function reaches(id: string, state: Task['status']['state']): Promise<Task> {
  return eventually(async () => {
    const task = await taskOf(id);
    if (task.status.state !== state) throw new Error(`${id} is ${task.status.state}, not ${state}`);
    return task;
  });
}

const textOf = ({ artifacts = [] }: Task): string | undefined => artifacts[0]?.parts[0]?.text;

function stateIn({ data }: SseEvent): string | undefined {
  const { task, statusUpdate } = data.result ?? {};
  return (task ?? statusUpdate)?.status.state as string | undefined;
}

function subscribe(id: string, gateway: number, after?: string): Promise<EventStream> {
  return deployment().stream('SubscribeToTask', { id }, { gateway, headers: after ? { 'Last-Event-ID': after } : {} });
}

it('terminate: the task is FAILED for everyone, its work is told to stop, and its message starts no other', async () => {
  const temporal = await operatorOfTemporal();
  const messageId = randomUUID();
  const send = () => deployment().send('works t1', { message: { messageId, metadata: { skillHint: 'watched' } } });
  const blocking = send();
  await eventually(async () => (await seen(deployment(), 'run t1')) === 1);
  const id = (
    await deployment().send('works t1', {
      configuration: { returnImmediately: true },
      message: { messageId, metadata: { skillHint: 'watched' } },
    })
  ).body.result.task.id as string;
  await using stream = await subscribe(id, 1);
  await temporal.task(id).terminate('a reason that is the operator’s own');

  const task = await reaches(id, 'TASK_STATE_FAILED');
  expect(task.status.message).toMatchObject({
    parts: [{ text: 'Stopped by an operator' }],
    metadata: { reason: 'terminated' },
  });
  expect(JSON.stringify(task)).not.toContain('operator’s own');
  expect((await blocking).body.result.task).toEqual(task);
  expect((await send()).body.result.task).toEqual(task);
  const events = await stream.rest();
  expect(events.at(-1)?.data.result.statusUpdate.status).toEqual(task.status);
  expect(events.filter((event) => stateIn(event) === 'TASK_STATE_FAILED')).toHaveLength(1);
  expect((await deployment().rpc('CancelTask', { id })).body.error.code).toBe(-32002);
  expect((await deployment().send('more', { message: { taskId: id } })).body.error.code).toBe(-32004);
  await eventually(async () => (await seen(deployment(), 'told t1')) === 1);
  expect(await seen(deployment(), 'run t1')).toBe(1);
  expect(await temporal.statusOf(id)).toBe('TERMINATED');
});

it('time-out: a task whose run has a limit of its own is FAILED when that is over', async () => {
  const temporal = await operatorOfTemporal();
  const [started] = (await temporal.task(await atWork('works t2')).fetchHistory()).events ?? [];
  const { input, memo } = started!.workflowExecutionStartedEventAttributes!;
  const id = `watched-${randomUUID().replaceAll('-', '').slice(0, 26)}`;
  const given = defaultPayloadConverter.fromPayload<Record<string, unknown>>(input!.payloads![0] as never);
  await temporal.client.workflow.start(TASK_WORKFLOW_TYPE, {
    workflowId: id,
    taskQueue: deployment().taskQueue,
    args: [{ ...given, taskId: id }],
    memo: { start: defaultPayloadConverter.fromPayload(memo!.fields!['start'] as never) },
    workflowRunTimeout: '3 seconds',
  });
  await eventually(async () => (await deployment().task(id)).artifacts);
  await using stream = await subscribe(id, 1);
  const task = await reaches(id, 'TASK_STATE_FAILED');
  expect(task.status.message).toMatchObject({ parts: [{ text: 'The task ran out of time' }] });
  expect((await stream.rest()).at(-1)?.data.result.statusUpdate.status).toEqual(task.status);
  await eventually(async () => (await seen(deployment(), 'told t2')) === 1);
  expect(await temporal.statusOf(id)).toBe('TIMED_OUT');
});

it('delete: the task is unknown from then on, its streams say so, and its work is told to stop', async () => {
  const temporal = await operatorOfTemporal();
  const id = await atWork('works d1');
  await using stream = await subscribe(id, 1);
  await temporal.client.workflowService.deleteWorkflowExecution({
    namespace: testServer().namespace,
    workflowExecution: { workflowId: id },
  });
  expect((await stream.rest()).at(-1)).toMatchObject({ event: 'error', data: { error: { code: -32001 } } });
  await eventually(async () => (await deployment().rpc('GetTask', { id })).body.error?.code === -32001);
  await eventually(async () => (await seen(deployment(), 'told d1')) === 1);
});

it('reset of a task that has ended, to before its question: it asks anew, and nothing of before is taken for the answer', async () => {
  const temporal = await operatorOfTemporal();
  const id = await startWatched(deployment(), 'asks r1');
  const asked = await reaches(id, 'TASK_STATE_INPUT_REQUIRED');
  await using before = await subscribe(id, 1);
  const answer = { message: { taskId: id, messageId: randomUUID() } };
  expect((await deployment().send('red', answer)).body.result.task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(textOf(await taskOf(id))).toBe('all that is red');
  const cursor = (await before.rest()).at(-1)!.id;

  const runId = await temporal.reset(id, isStageStart);
  const again = await reaches(id, 'TASK_STATE_INPUT_REQUIRED');
  expect(again.artifacts).toBeUndefined();
  expect(again.status.message?.metadata?.['requestId']).not.toBe(asked.status.message?.metadata?.['requestId']);
  // The answer of before came to a task that was not asking; the caller answers the new question by a new message.
  expect((await deployment().send('red', answer)).body.error.code).toBe(-32004);
  await using resumed = await subscribe(id, 0, cursor);
  expect((await resumed.next())?.data.result.task).toEqual(again);
  await using fresh = await subscribe(id, 1);
  const blue = await deployment().send('blue', { message: { taskId: id } });
  expect(textOf(blue.body.result.task as Task)).toBe('all that is blue');
  expect(textOf(await taskOf(id))).toBe('all that is blue');
  for (const stream of [resumed, fresh]) {
    const states = (await stream.rest()).map(stateIn).filter((state) => state === 'TASK_STATE_COMPLETED');
    expect(states).toHaveLength(1);
  }

  // To after the answer, while no worker is up: the answer counts again, and what was found by it is not looked for again.
  await deployment().kill('worker0');
  await temporal.reset(id, afterNth(2, isStageStart), runId);
  expect(await reaches(id, 'TASK_STATE_INPUT_REQUIRED')).toMatchObject({ status: again.status });
  await using waiting = await subscribe(id, 1);
  await deployment().restart('worker0');
  expect(textOf(await reaches(id, 'TASK_STATE_COMPLETED'))).toBe('all that is blue');
  expect((await waiting.rest()).map(stateIn).at(-1)).toBe('TASK_STATE_COMPLETED');
  for (const colour of ['red', 'blue']) expect(await seen(deployment(), `finds r1 ${colour}`)).toBe(1);
}, 120_000);

it('two resets under open streams: they go on with the task as it now is, and show it to its one end', async () => {
  const temporal = await operatorOfTemporal();
  const id = await atWork('works r2');
  const messageId = (await deployment().task(id)).history![0]!.messageId;
  await using stream = await subscribe(id, 1);
  const blocking = deployment().send('works r2', { message: { messageId, metadata: { skillHint: 'watched' } } });
  const runs = [await temporal.reset(id, isStageStart)];
  await eventually(async () => (await seen(deployment(), 'run r2')) === 2);
  runs.push(await temporal.reset(id, isStageStart));
  await eventually(async () => (await seen(deployment(), 'run r2')) === 3);
  await eventually(async () => (await seen(deployment(), 'told r2')) === 2);
  // What the new try shows is seen, although its attempts count from 1 again.
  const events: SseEvent[] = [];
  await eventually(async () => {
    const event = await stream.next();
    if (event !== undefined) events.push(event);
    return event?.id?.startsWith(runs[1]!) && JSON.stringify(event.data).includes('r2 at work');
  });
  await deployment().open('r2');
  const task = await reaches(id, 'TASK_STATE_COMPLETED');
  expect(textOf(task)).toBe('answer of r2');
  expect((await blocking).body.result.task).toEqual(task);
  events.push(...(await stream.rest()));
  expect(events.map(stateIn).filter((state) => state === 'TASK_STATE_COMPLETED')).toHaveLength(1);
  expect(events.filter(({ data }) => data.result.task !== undefined).length).toBeGreaterThan(1);
  expect(await seen(deployment(), 'returned r2')).toBe(1);
});

it('reset of a canceled task: it works again', async () => {
  const temporal = await operatorOfTemporal();
  const id = await atWork('works r3');
  expect((await deployment().rpc('CancelTask', { id })).body.result.status.state).toBe('TASK_STATE_CANCELED');
  await temporal.reset(id, isStageStart);
  await eventually(async () => (await seen(deployment(), 'run r3')) === 2);
  await deployment().open('r3');
  await reaches(id, 'TASK_STATE_COMPLETED');
});

it('pause and reset of a stage: the task stays WORKING, and what the next try shows is seen', async () => {
  const temporal = await operatorOfTemporal();
  const { workflowService } = temporal.client;
  const id = await atWork('works p1');
  const stage = { namespace: testServer().namespace, execution: { workflowId: id }, id: '1', identity: 'operator' };
  const messageIdOf = async (): Promise<string | undefined> => (await taskOf(id)).status.message?.messageId;
  const first = await messageIdOf();
  await workflowService.pauseActivity(stage);
  await eventually(async () => (await seen(deployment(), 'told p1')) === 1);
  expect((await taskOf(id)).status.state).toBe('TASK_STATE_WORKING');
  await workflowService.unpauseActivity(stage);
  const second = await eventually(async () => (await messageIdOf()) !== first && messageIdOf());
  await workflowService.resetActivity(stage);
  await eventually(async () => (await messageIdOf()) !== second);
  await deployment().open('p1');
  expect(textOf(await reaches(id, 'TASK_STATE_COMPLETED'))).toBe('answer of p1');
});

it('other options, and signals of any shape, change nothing', async () => {
  const temporal = await operatorOfTemporal();
  const id = await atWork('works o1');
  await using stream = await subscribe(id, 1);
  const handle = temporal.task(id);
  await temporal.client.workflowService.updateWorkflowExecutionOptions({
    namespace: testServer().namespace,
    workflowExecution: { workflowId: id },
    workflowExecutionOptions: { priority: { priorityKey: 2 } },
    updateMask: { paths: ['priority'] },
  });
  const progress = { stageId: 'watched', turn: 0, attempt: 99, seq: 1, at: 'now' };
  for (const odd of [
    null,
    7,
    [],
    {},
    progress,
    { ...progress, items: [null] },
    { ...progress, items: [{ artifact: 1 }] },
  ]) {
    await handle.signal('progress', odd);
    await handle.signal('message', odd);
  }
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
  for (const odd of [{ id: 1 }, { id: '__proto__', contentHash: '', by: 'operator', message, metadata: 5 }]) {
    await handle.signal('message', odd);
  }
  await handle.signal('no-such-signal');
  await deployment().open('o1');
  const task = await reaches(id, 'TASK_STATE_COMPLETED');
  expect(textOf(task)).toBe('answer of o1');
  expect((await stream.rest()).map(stateIn).at(-1)).toBe('TASK_STATE_COMPLETED');
});

/** Finds the event at which the condition holds for the n-th time. */
function afterNth(n: number, isPoint: (event: HistoryEvent) => boolean): (event: HistoryEvent) => boolean {
  let count = 0;
  return (event) => isPoint(event) && ++count === n;
}
