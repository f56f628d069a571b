/** Readers whose connection is cut while chunks come, and who take the stream up again, at another gateway too. */
import { expect, it } from '@jest/globals';
import { sharedDeployment } from '../support/deployment.ts';
import { eventually } from '../support/eventually.ts';
import type { SseEvent } from '../support/gateway.ts';
import { streamedText } from '../support/streamed-text.ts';

const deployment = sharedDeployment({ gateways: 2 });

const CHUNKS = 50;
const WHOLE = Array.from({ length: CHUNKS }, (_, index) => `<${index + 1}>`).join('');

it('no chunk is lost or doubled, wherever a reader is cut off and whichever gateway it comes back to', async () => {
  const sent = await deployment().send(`chunks ${CHUNKS}`, { configuration: { returnImmediately: true } });
  const { id } = sent.body.result.task as { id: string };
  const shownChunks = async (): Promise<number> => chunksIn(textOfTask(await deployment().task(id)));

  /** Reads until so many chunks have come, or to the end. */
  async function read(gateway: number, chunks = Infinity, lastEventId?: string): Promise<SseEvent[]> {
    await using stream = await deployment().stream(
      'SubscribeToTask',
      { id },
      { gateway, headers: { ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }) } },
    );
    const events: SseEvent[] = [];
    while (chunksIn(streamedText(events)) < chunks) {
      const event = await stream.next();
      if (event === undefined) break;
      events.push(event);
    }
    return events;
  }

  /** Is cut off, misses at least ten chunks, and comes back with nothing: the snapshot makes up for them. */
  async function startOver(cutAfter: number): Promise<void> {
    const before = await read(0, cutAfter);
    const known = chunksIn(streamedText(before));
    await eventually(async () => (await shownChunks()) >= known + 10);
    const after = await read(1);
    expect(after[0]?.data.result.task.id).toBe(id);
    expect(chunksIn(streamedText(after.slice(0, 1)))).toBeGreaterThanOrEqual(known);
    expect(streamedText(after)).toBe(WHOLE);
  }

  /** Comes back with the last ID that it has seen: what follows continues from it exactly. */
  async function resume(cutAfter: number, gateway: number): Promise<void> {
    const before = await read(0, cutAfter);
    const known = streamedText(before);
    await eventually(async () => (await shownChunks()) >= chunksIn(known) + 10);
    const after = await read(gateway, Infinity, before.at(-1)?.id);
    expect(after.every(({ data }) => data.result.task === undefined)).toBe(true);
    expect(streamedText(after, 'answer', known)).toBe(WHOLE);
  }

  const [first, second, third] = await Promise.all([
    read(0),
    read(0),
    read(1),
    startOver(1),
    startOver(20),
    resume(3, 0),
    resume(10, 1),
    resume(25, 1),
  ]);
  expect(streamedText(first)).toBe(WHOLE);
  expect(lastState(first)).toBe('TASK_STATE_COMPLETED');
  expect(textOfTask(await deployment().task(id))).toBe(WHOLE);
  // Who joins later starts from a later snapshot; from there on all see the same.
  for (const other of [second, third]) {
    const shared = other.slice(1).map(({ id: cursor }) => cursor);
    expect(shared.length).toBeGreaterThan(5);
    expect(first.slice(-shared.length).map(({ id: cursor }) => cursor)).toEqual(shared);
    expect(other.slice(1)).toEqual(first.slice(-shared.length));
  }

  // From every place in the stream, also now that the task has ended.
  for (const [index, { id: cursor }] of first.entries()) {
    expect(await read(index % 2, Infinity, cursor)).toEqual(first.slice(index + 1));
  }
});

function chunksIn(text: string): number {
  return text.split('>').length - 1;
}

function textOfTask({ artifacts = [] }: { artifacts?: readonly { parts: readonly { text?: string }[] }[] }): string {
  return artifacts.flatMap(({ parts }) => parts.map(({ text }) => text ?? '')).join('');
}

function lastState(events: readonly SseEvent[]): unknown {
  return events.at(-1)?.data.result.statusUpdate.status.state;
}
