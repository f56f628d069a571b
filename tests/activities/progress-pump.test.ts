import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createProgressBudgets } from '../../activities/progress-budget.ts';
import { ProgressPump } from '../../activities/progress-pump.ts';
import type { Clock, ProgressPumpOptions } from '../../activities/progress-pump.ts';
import type { ProgressItem, ProgressSignal } from '../../src/domain/task-log.ts';

/** Time passes when the test says so. */
class FakeClock implements Clock {
  #now = 0;
  #sleepers: { at: number; wake: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
    this.#sleepers.push({ at: this.#now + ms, wake: () => resolve(undefined) });
    return promise;
  }

  async advance(ms: number): Promise<void> {
    this.#now += ms;
    const due = this.#sleepers.filter(({ at }) => at <= this.#now);
    this.#sleepers = this.#sleepers.filter(({ at }) => at > this.#now);
    for (const { wake } of due) wake();
    await setImmediate();
  }
}

let clock: FakeClock;
let sent: ProgressSignal[];
let sentAt: number[];
let inFlight: number;
let abort: AbortController;

beforeEach(() => {
  clock = new FakeClock();
  sent = [];
  sentAt = [];
  inFlight = 0;
  abort = new AbortController();
});

function createPump(options: Partial<ProgressPumpOptions> = {}): ProgressPump {
  return new ProgressPump({
    run: { stageId: 'plan', turn: 0, attempt: 1 },
    send: async (signal) => {
      inFlight += 1;
      expect(inFlight).toBe(1);
      await setImmediate();
      sent.push(signal);
      sentAt.push(clock.now());
      inFlight -= 1;
    },
    isFinal: () => false,
    onDropped: () => undefined,
    budget: createProgressBudgets()('run-1'),
    sideBySide: 1,
    clock,
    abortSignal: abort.signal,
    ...options,
  });
}

const line = (text: string): ProgressItem => ({ text, at: '2030-01-01T00:00:00.000Z' });
const chunk = (text: string, artifactId = 'answer', more = {}): ProgressItem => ({
  artifact: { artifactId, parts: [{ text, mediaType: 'text/plain' }] },
  append: true,
  lastChunk: false,
  ...more,
});
const textOf = (signals: readonly ProgressSignal[], artifactId = 'answer') =>
  signals
    .flatMap(({ items }) => items)
    .flatMap((item) => ('artifact' in item && item.artifact.artifactId === artifactId ? item.artifact.parts : []))
    .map((part) => part.text)
    .join('');

/** So many signals, one after the other as soon as each may go; answers the gaps between them. */
async function gapsOf(pump: ProgressPump, count: number): Promise<number[]> {
  for (let step = 0; sent.length < count; step += 1) {
    if (step > 2_000_000) throw new Error('The pump is stuck');
    if (sent.length === 0 || sentAt.at(-1) === clock.now()) await pump.add(chunk('x'));
    await clock.advance(125);
  }
  return sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0));
}

describe('ProgressPump', () => {
  it('sends the first at once, and what comes then joined, after the interval', async () => {
    const pump = createPump();
    await pump.add(chunk('a'));
    await pump.add(chunk('b'));
    await pump.add(chunk('c'));
    await clock.advance(0);
    await clock.advance(0);
    expect(textOf(sent)).toBe('a');
    await clock.advance(249);
    expect(sent).toHaveLength(1);
    await clock.advance(1);
    await clock.advance(0);
    expect(sent.map(({ seq, items }) => [seq, items.length])).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect(textOf(sent)).toBe('abc');
  });

  it('doubles the interval after every 100 signals, up to a minute', async () => {
    const gaps = await gapsOf(createPump(), 901);
    const atHundreds = Array.from({ length: 9 }, (_, index) => gaps[index * 100 + 50]);
    const wanted = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000];
    // The test's clock moves in steps of an eighth of a second.
    expect(atHundreds.map((gap, index) => Math.abs((gap ?? 0) - (wanted[index] ?? 0)) <= 250)).toEqual(
      wanted.map(() => true),
    );
  });

  it('sends less often when stages run side by side', async () => {
    const gaps = await gapsOf(createPump({ sideBySide: 16 }), 5);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(4_000);
  });

  it('flushes without waiting for the interval', async () => {
    const pump = createPump({ sideBySide: 1_000 });
    for (const text of ['a', 'b', 'c']) await pump.add(chunk(text));
    await pump.flush();
    expect(textOf(sent)).toBe('abc');
    await pump.add(chunk('d'));
    await pump.flush();
    expect(textOf(sent)).toBe('abcd');
  });

  it('makes who adds wait when more than 1 MiB is unsent, and splits at whole characters', async () => {
    const released = Promise.withResolvers<undefined>();
    const pump = createPump({
      send: async (signal) => {
        await released.promise;
        sent.push(signal);
      },
    });
    const text = '😀'.repeat(100_000); // 400,000 bytes
    let isWaiting = true;
    await pump.add(chunk(text));
    await pump.add(chunk(text));
    await pump.add(chunk(text));
    const last = pump.add(chunk(text)).then(() => (isWaiting = false));
    await setImmediate();
    expect(isWaiting).toBe(true);
    released.resolve(undefined);
    await last;
    await pump.flush();
    expect(textOf(sent)).toBe(text.repeat(4));
    const parts = sent
      .flatMap(({ items }) => items)
      .map((item) => ('artifact' in item ? item.artifact.parts[0]?.text : undefined) ?? '');
    expect(parts.every((part) => Buffer.byteLength(part) <= 262_144 && part.isWellFormed())).toBe(true);
    expect(sent.every((signal) => JSON.stringify(signal).length < 1_200_000)).toBe(true);
  });

  it('keeps the newest 20 lines of those that wait, and every chunk', async () => {
    const pump = createPump();
    await pump.add(line('first'));
    await clock.advance(0);
    for (let index = 0; index < 1_000; index += 1) {
      await pump.add(line(String(index)));
      await pump.add(chunk(`${index},`));
    }
    await pump.flush();
    const lines = sent.flatMap(({ items }) => items).flatMap((item) => ('at' in item ? [item.text] : []));
    expect(lines).toEqual(['first', ...Array.from({ length: 20 }, (_, index) => String(980 + index))]);
    expect(textOf(sent)).toBe(Array.from({ length: 1_000 }, (_, index) => `${index},`).join(''));
  });

  it('keeps artifacts apart, and drops what was unsent of one that starts anew', async () => {
    const pump = createPump();
    await pump.add(line('first'));
    await clock.advance(0);
    for (const text of ['1', '2', '3']) {
      await pump.add(chunk(text, 'a'));
      await pump.add(chunk(text, 'b'));
    }
    await pump.add(chunk('new', 'a', { append: false }));
    await pump.add(chunk('er', 'a', { lastChunk: true }));
    await pump.flush();
    expect(textOf(sent, 'b')).toBe('123');
    const items = sent
      .flatMap((signal) => signal.items)
      .filter((item) => 'artifact' in item && item.artifact.artifactId === 'a');
    expect(items).toMatchObject([{ append: false, lastChunk: true, artifact: { parts: [{ text: 'newer' }] } }]);
  });

  it('sends at most so many signals a run, over all its stages, and all of it at the flush', async () => {
    const budgets = createProgressBudgets(3);
    const first = createPump({ budget: budgets('run-1') });
    await gapsOf(first, 2);
    const second = createPump({ budget: budgets('run-1') });
    for (let index = 0; index < 100; index += 1) {
      await second.add(chunk(`${index},`));
      await clock.advance(60_000);
    }
    expect(sent).toHaveLength(3);
    await second.flush();
    expect(textOf(sent.slice(2))).toBe(Array.from({ length: 100 }, (_, index) => `${index},`).join(''));
    expect(sent).toHaveLength(4);
    expect(budgets('run-2').take()).toBe(true);
  });

  it('tries the same signal again until it is taken', async () => {
    let tries = 0;
    const pump = createPump({
      send: async (signal) => {
        tries += 1;
        if (tries < 4) throw new Error('unavailable');
        sent.push(signal);
      },
    });
    await pump.add(chunk('a'));
    const flushed = pump.flush();
    for (let step = 0; step < 10; step += 1) await clock.advance(10_000);
    await flushed;
    expect(sent.map(({ seq }) => seq)).toEqual([1]);
  });

  it('drops what is refused for good, and goes on', async () => {
    const dropped: unknown[] = [];
    const pump = createPump({
      send: async (signal) => {
        if (signal.seq === 1) throw new Error('gone');
        sent.push(signal);
      },
      isFinal: () => true,
      onDropped: (error) => void dropped.push(error),
    });
    await pump.add(chunk('a'));
    await pump.flush();
    await pump.add(chunk('b'));
    await pump.flush();
    expect(dropped).toHaveLength(1);
    expect(textOf(sent)).toBe('b');
  });

  it('lets go of everyone when the attempt is over', async () => {
    const pump = createPump({ send: () => Promise.withResolvers<undefined>().promise });
    await pump.add(chunk('a'));
    const waiting = pump.add(chunk('x'.repeat(2_000_000)));
    const flushed = pump.flush();
    abort.abort(new Error('cancelled'));
    await Promise.all([waiting, flushed]);
    await expect(pump.add(chunk('b'))).rejects.toThrow('cancelled');
  });
});
