import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { Task } from '../../src/domain/a2a.ts';
import type { Deployment } from './deployment.ts';
import type { SseEvent } from './gateway.ts';
import { message } from './gateway.ts';
import { operatorOfTemporal } from './watched-stages.ts';

const STATUS_OF: Readonly<Record<string, string>> = {
  TASK_STATE_CANCELED: 'CANCELLED',
  TASK_STATE_COMPLETED: 'COMPLETED',
};

/**
 * Cancels so many tasks at the moment at which they complete: each cancel comes a little sooner or later than the one before,
 * by how that one came out. Expects of each that reply, stream, both gateways and Temporal tell one and the same end.
 * @returns how many ended in which state
 */
export async function raceCancelAgainstCompletion(
  deployment: Deployment,
  times: number,
): Promise<Readonly<Record<string, number>>> {
  const temporal = await operatorOfTemporal();
  const ends: Record<string, number> = {};
  let delayMs = 40;
  for (let time = 0; time < times; time += 1) {
    await using stream = await deployment.stream('SendStreamingMessage', { message: message(`echo race ${time}`) });
    const first = await stream.next();
    const { id } = first?.data.result.task as Task;
    const polled = pollStates(deployment, id);
    await delay(delayMs);
    const { body } = await deployment.rpc('CancelTask', { id }, { gateway: time % 2 });
    const events = [first!, ...(await stream.rest())];
    const states = await polled;

    const end = (await deployment.task(id)).status.state;
    expect(Object.keys(STATUS_OF)).toContain(end);
    if (end === 'TASK_STATE_CANCELED') expect(body.result.status.state).toBe(end);
    else expect(body.error).toMatchObject({ code: -32002, message: expect.stringContaining(end) });
    expect(terminalStates(events.map(stateIn))).toEqual([end]);
    // Once it was read as ended, it was never read as anything else.
    expect(new Set(terminalStates(states))).toEqual(new Set([end]));
    expect(terminalStates(states.slice(states.findIndex((state) => state === end)))).toHaveLength(
      states.length - states.indexOf(end),
    );
    expect((await deployment.task(id, { gateway: 1 })).status.state).toBe(end);
    expect(await temporal.statusOf(id)).toBe(STATUS_OF[end]);

    ends[end] = (ends[end] ?? 0) + 1;
    delayMs = Math.max(0, delayMs + (end === 'TASK_STATE_CANCELED' ? 1 : -1) * (1 + Math.random() * 3));
  }
  return ends;
}

/** The states that the gateways tell, one after the other, until the task has ended and a little longer. */
async function pollStates(deployment: Deployment, id: string): Promise<string[]> {
  const states: string[] = [];
  for (let after = 0; after < 3;) {
    const { state } = (await deployment.task(id, { gateway: states.length % 2 })).status;
    states.push(state);
    if (state in STATUS_OF) after += 1;
  }
  return states;
}

function stateIn({ data }: SseEvent): string | undefined {
  const { task, statusUpdate } = data.result ?? {};
  return (task ?? statusUpdate)?.status.state as string | undefined;
}

function terminalStates(states: readonly (string | undefined)[]): readonly string[] {
  return states.filter((state): state is string => state !== undefined && state in STATUS_OF);
}
