import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Failure } from '../../src/domain/failure.ts';
import type { PushFailure, PushPlace, PushRound } from '../../src/domain/push-round.ts';
import { createDeliverRound, SECRET_CHANGED } from '../../src/push/deliver-round.ts';
import type { SendNotification } from '../../src/push/send-notification.ts';
import { SealBrokenError } from '../../src/push/target-seal.ts';

const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING', timestamp: '' } } as const;
const read = (text: string) => ({
  event: { message: { messageId: text, role: 'ROLE_AGENT', parts: [{ text }] } } as const,
  task,
  cursor: `run.${text}.0`,
});
const chunk = (number: number) => ({
  event: {
    artifactUpdate: {
      taskId: 't',
      contextId: 'c',
      artifact: { artifactId: 'answer', parts: [{ text: `<${number}>` }] },
      append: number > 1,
    },
  },
  task,
  cursor: `run.${number}.0`,
});
const round: PushRound = {
  taskId: 't',
  webhookId: 'h',
  fingerprint: 'f',
  at: 'run.0.0',
  hasBegun: true,
  isLive: false,
};
const webhook = {
  id: 'h',
  sealed: '',
  host: '',
  fingerprint: 'f',
  wireVersion: '1.0',
  from: '',
  registeredAt: '',
} as const;
type Parts = Parameters<typeof createDeliverRound>[0];

async function run(
  source: Parts['read'],
  changes: Partial<Parts> & { signal?: AbortSignal; isLive?: boolean } = {},
): Promise<{ end: Awaited<ReturnType<ReturnType<typeof createDeliverRound>>>; sent: string[]; progress: string[] }> {
  const sent: string[] = [];
  const progress: string[] = [];
  const { signal = new AbortController().signal, isLive = false, ...parts } = changes;
  const deliver = createDeliverRound({
    read: source,
    webhooksOf: async () => [webhook],
    seal: { open: () => ({ url: 'https://example.com' }) },
    send: async (_target, { event }) => {
      sent.push(textOf(event));
      return undefined;
    },
    lingerMs: () => 20,
    isGone: (error) => error instanceof Failure && error.kind === 'task-not-found',
    isBehind: (error) => error instanceof Failure && error.kind === 'busy',
    ...parts,
  });
  const end = await deliver(
    { ...round, isLive },
    { signal, onProgress: ({ at }: PushPlace) => void progress.push(at) },
  );
  return { end, sent, progress };
}

const textOf = (event: Parameters<SendNotification>[1]['event']): string =>
  'message' in event
    ? event.message.messageId
    : 'artifactUpdate' in event
      ? (event.artifactUpdate.artifact.parts[0]?.text ?? '')
      : '';

describe('a round', () => {
  it('sends each event once the one before was taken, and says how far it came', async () => {
    const { end, sent, progress } = await run(async function* () {
      yield read('1');
      yield read('2');
      return false;
    });
    expect(sent).toEqual(['1', '2']);
    expect(progress).toEqual(['run.1.0', 'run.2.0']);
    expect(end).toEqual({ at: 'run.2.0', hasBegun: true, delivered: 2, end: 'idle' });
  });

  it('says that the task has ended when all of it is told', async () => {
    const { end } = await run(async function* () {
      yield read('1');
      return true;
    });
    expect(end.end).toBe('task-ended');
  });

  it('does not move within a snapshot that is sent in pieces', async () => {
    const { end, progress } = await run(async function* () {
      yield { event: read('1').event, task };
      throw new Failure('busy', 'too slow');
    });
    expect(progress).toEqual([]);
    expect(end).toEqual({ at: 'run.0.0', hasBegun: true, delivered: 1, end: 'more' });
  });

  it('ends with the failure, at the place before', async () => {
    const failure: PushFailure = { reason: 'HTTP 500', isFinal: false };
    let count = 0;
    const { end } = await run(
      async function* () {
        for (let each = 1; each < 10; each += 1) yield read(`${each}`);
        return true;
      },
      { send: async () => ((count += 1) === 3 ? failure : undefined) },
    );
    expect(end).toEqual({ at: 'run.2.0', hasBegun: true, delivered: 2, end: 'failed', failure });
    expect(count).toBe(3);
  });

  it('sends nothing to a webhook that has been deleted meanwhile, or is another', async () => {
    for (const then of [[], [{ ...webhook, fingerprint: 'other' }]]) {
      let count = 0;
      const { end, sent } = await run(
        async function* () {
          yield read('1');
          yield read('2');
          return true;
        },
        { webhooksOf: async () => ((count += 1) === 1 ? [webhook] : then) },
      );
      expect(sent).toEqual(['1']);
      expect(end).toMatchObject({ end: 'removed', at: 'run.1.0' });
    }
  });

  it('ends for good when the secret is another', async () => {
    const { end } = await run(
      async function* () {
        yield read('1');
        return true;
      },
      {
        seal: {
          open: () => {
            throw new SealBrokenError();
          },
        },
      },
    );
    expect(end.failure).toEqual({ reason: SECRET_CHANGED, isFinal: true });
  });

  it('joins what is appended while something is under way', async () => {
    const release = Promise.withResolvers<undefined>();
    const sent: string[] = [];
    const { end } = await run(
      async function* () {
        for (let number = 1; number <= 5_000; number += 1) {
          if (number === 150) release.resolve(undefined);
          yield chunk(number);
        }
        return true;
      },
      {
        send: async (_target, { event }) => {
          await release.promise;
          await delay(1);
          sent.push(textOf(event));
          return undefined;
        },
      },
    );
    expect(sent.join('')).toBe(Array.from({ length: 5_000 }, (_, index) => `<${index + 1}>`).join(''));
    expect(sent.length).toBeLessThan(100);
    expect(end).toMatchObject({ end: 'task-ended', at: 'run.5000.0' });
  });

  it('waits for a while for something to happen, and then has nothing to say', async () => {
    const { end } = await run(
      async function* (_taskId, _place, { signal }) {
        yield read('1');
        await once(signal, 'abort');
        return false;
      },
      { isLive: true },
    );
    expect(end).toMatchObject({ end: 'idle', delivered: 1 });
  });

  it('ends when it is told to, after what it has sent', async () => {
    const stop = new AbortController();
    const { end, sent } = await run(
      async function* () {
        yield read('1');
        stop.abort();
        yield read('2');
        return true;
      },
      { signal: stop.signal },
    );
    expect(sent.length).toBeLessThan(2);
    expect(end.end).toBe('more');
  });

  it('fails when nothing could be read, and keeps what was sent when that comes later', async () => {
    const broken = async function* (): AsyncGenerator<never, boolean> {
      throw new Failure('unavailable', 'away');
    };
    await expect(run(broken)).rejects.toThrow('away');
    const later = await run(async function* () {
      yield read('1');
      throw new Failure('unavailable', 'away');
    });
    expect(later.end).toMatchObject({ end: 'more', at: 'run.1.0', delivered: 1 });
  });

  it('has nothing more to tell of a task that is gone', async () => {
    const { end } = await run(async function* (): AsyncGenerator<never, boolean> {
      throw new Failure('task-not-found', 'gone');
    });
    expect(end.end).toBe('task-ended');
  });
});
