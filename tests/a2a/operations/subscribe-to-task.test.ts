import { describe, expect, it } from '@jest/globals';
import { HEADERS, openStream, rpc, send, type SseEvent } from '../../support/gateway.ts';
import { sharedGateway } from '../../support/shared-gateway.ts';

describe('SubscribeToTask', () => {
  const gateway = sharedGateway();
  const begin = async (text: string): Promise<string> =>
    (await send(gateway(), text, { configuration: { returnImmediately: true } })).body.result.task.id as string;
  const subscribe = (id: string, lastEventId?: string) =>
    openStream(
      gateway().url,
      'SubscribeToTask',
      { id },
      { ...HEADERS, ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }) },
    );
  const textOf = (events: readonly SseEvent[]): string =>
    events
      .flatMap(
        ({ data: { result } }) =>
          result.task?.artifacts ?? (result.artifactUpdate ? [result.artifactUpdate.artifact] : []),
      )
      .flatMap(({ parts }: { parts: { text: string }[] }) => parts.map(({ text }) => text))
      .join('');

  it('shows a snapshot and what follows it, with nothing lost or doubled, to all subscribers alike', async () => {
    const id = await begin('hold');
    const { tasks } = gateway();
    for (let seq = 1; seq <= 10; seq += 1) tasks.chunk(id, seq, `<${seq}>`);
    await using one = await subscribe(id);
    await using other = await subscribe(id);
    const firsts = [await one.next(), await other.next()];
    for (let seq = 11; seq <= 20; seq += 1) tasks.chunk(id, seq, `<${seq}>`);
    tasks.status(id, 'TASK_STATE_COMPLETED');
    const all = [
      [firsts[0]!, ...(await one.rest())],
      [firsts[1]!, ...(await other.rest())],
    ];
    const { body } = await rpc(gateway().url, 'GetTask', { id });
    for (const events of all) expect(textOf(events)).toBe(body.result.artifacts[0].parts[0].text);
    expect(all[0]).toEqual(all[1]);
  });

  it('stays open at a question, and shows what another client answers', async () => {
    const id = await begin('ask');
    await using events = await subscribe(id);
    expect((await events.next())!.data.result.task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    await send(gateway(), 'blue', { taskId: id });
    const rest = await events.rest();
    expect(rest.at(-1)!.data.result.statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('is refused by a task that has ended', async () => {
    const { headers, body } = await rpc(gateway().url, 'SubscribeToTask', { id: await begin('echo a') });
    expect(headers.get('content-type')).toMatch('application/json');
    expect(body.error).toMatchObject({ code: -32004, data: [{ reason: 'UNSUPPORTED_OPERATION' }] });
  });

  it('goes on exactly behind Last-Event-ID, also when the task has ended since', async () => {
    const id = await begin('hold');
    const { tasks } = gateway();
    const events = await subscribe(id);
    await events.next();
    for (let seq = 1; seq <= 3; seq += 1) tasks.chunk(id, seq, `<${seq}>`);
    const seen = [await events.next(), await events.next()];
    await events[Symbol.asyncDispose]();
    for (let seq = 4; seq <= 6; seq += 1) tasks.chunk(id, seq, `<${seq}>`);
    tasks.status(id, 'TASK_STATE_COMPLETED');
    tasks.close(id, 'completed');

    await using resumed = await subscribe(id, seen[1]!.id);
    const missed = await resumed.rest();
    expect(textOf(missed)).toBe('<3><4><5><6>');
    expect(missed.at(-1)!.data.result.statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');

    await using upToDate = await subscribe(id, missed.at(-1)!.id);
    expect(await upToDate.rest()).toEqual([]);
  });

  it('opens at once behind the last event there is, though nothing happens', async () => {
    const id = await begin('hold');
    const events = await subscribe(id);
    await events.next();
    gateway().tasks.chunk(id, 1, '<1>');
    const last = await events.next();
    await events[Symbol.asyncDispose]();

    await using resumed = await subscribe(id, last!.id); // has its headers
    gateway().tasks.chunk(id, 2, '<2>');
    expect(textOf([(await resumed.next())!])).toBe('<2>');
  });

  it('takes a Last-Event-ID that it does not know for none', async () => {
    const id = await begin('hold');
    await using events = await subscribe(id, 'elsewhere.12.0');
    expect(Object.keys((await events.next())!.data.result)).toEqual(['task']);
  });

  it('keeps every event of a large snapshot under 4 MiB, and gives its ID with the last', async () => {
    const id = await begin('hold');
    const { tasks } = gateway();
    const text = 'ä😀'.repeat(60_000);
    for (let index = 0; index < 20; index += 1) {
      tasks.record(id, {
        type: 'artifact',
        artifact: { artifactId: `a${index}`, name: `a${index}`, parts: [{ text }] },
      });
    }
    await using events = await subscribe(id);
    const received: SseEvent[] = [];
    while (received.at(-1)?.id === undefined) received.push((await events.next())!);
    expect(Math.max(...received.map(({ data }) => JSON.stringify(data).length))).toBeLessThan(4 * 1024 * 1024);
    expect(Object.keys(received[0]!.data.result)).toEqual(['task']);
    expect(received.filter((event) => event.id !== undefined)).toHaveLength(1);
    expect(textOf(received)).toBe(text.repeat(20));
    tasks.close(id, 'terminated');
  });

  it('tells the reason of a task that an operator has stopped', async () => {
    const id = await begin('hold');
    await using events = await subscribe(id);
    await events.next();
    gateway().tasks.close(id, 'terminated');
    const [last, ...more] = await events.rest();
    expect(more).toEqual([]);
    expect(last!.data.result.statusUpdate.status).toMatchObject({
      state: 'TASK_STATE_FAILED',
      message: { parts: [{ text: 'Stopped by an operator' }] },
    });
  });
});
