import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import type { Message } from '../../src/domain/a2a.ts';
import type { ExecutorContext } from '../../src/domain/executor.ts';
import { StageError } from '../../src/domain/executor.ts';
import { artifactItems, createStageRig } from './stage-rig.ts';
import type { StageRig, StartOptions } from './stage-rig.ts';

let rig: StageRig;
beforeEach(async () => {
  rig = await createStageRig();
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
});

async function failureOf(options: StartOptions, over: StageRig = rig): Promise<ApplicationFailure> {
  const error: unknown = await over.run(options).catch((thrown: unknown) => thrown);
  if (!(error instanceof ApplicationFailure)) throw new Error(`Not an application failure: ${String(error)}`);
  return error;
}

describe('what an executor returns', () => {
  it('becomes the envelope', async () => {
    const envelope = await rig.envelope({
      executor: ({ input }) => ({ summary: input.text, payload: { n: [1, null] } }),
    });
    expect(envelope).toEqual({ summary: 'hello', payload: { n: [1, null] }, artifacts: [] });
  });

  it.each([
    [
      { state: 'rejected', message: 'no' },
      { outcome: 'rejected', message: 'no' },
    ],
    [
      { state: 'auth-required', message: 'log in' },
      { outcome: 'auth-required', message: 'log in' },
    ],
    [{ reply: 'hi' }, { outcome: 'reply', parts: [{ text: 'hi', mediaType: 'text/plain' }] }],
    [{ reply: [{ data: { a: 1 } }] }, { outcome: 'reply', parts: [{ data: { a: 1 } }] }],
  ] as const)('%j becomes its outcome', async (returned, outcome) => {
    expect(await rig.run({ executor: () => returned })).toEqual(outcome);
  });

  const cycle: Record<string, unknown> = { a: [] };
  cycle['a'] = [cycle];
  it.each<[unknown, string]>([
    [undefined, 'must return an object'],
    ['text', 'must return an object'],
    [{}, 'The summary must be a text, and is undefined'],
    [{ summary: 3 }, 'The summary must be a text, and is number'],
    [{ summary: '', payload: { rows: [{ at: () => 1 }] } }, 'payload.rows[0].at is a function'],
    [{ summary: '', payload: { n: 1n } }, 'payload.n is a BigInt'],
    [{ summary: '', payload: { n: Number.NaN } }, 'payload.n is NaN'],
    [{ summary: '', payload: [undefined] }, 'payload[0] is undefined'],
    [{ summary: '', payload: cycle }, 'payload.a[0] is a reference to something that holds it'],
    [{ summary: '', payload: new Map() }, 'payload is a Map'],
    [{ summary: '', payload: { 'a b': new Uint8Array(1) } }, 'payload["a b"] is bytes'],
    [{ state: 'done', message: '' }, 'The state must be rejected or auth-required'],
    [{ state: 'rejected' }, 'the message must be a text'],
    [{ reply: [] }, 'The reply must be a text or parts'],
    [{ reply: [{ text: 'a', url: 'b' }] }, 'reply[0] must be a part'],
  ])('is refused, saying why: %p', async (returned, why) => {
    const failure = await failureOf({ executor: () => returned as never });
    expect(failure.message).toContain(why);
    expect(failure.details).toEqual([{ reason: 'result-invalid' }]);
    expect(failure.nonRetryable).toBe(false);
  });

  it('may have properties that are undefined, and dates', async () => {
    const payload: unknown = { a: undefined, at: new Date(0) };
    const envelope = await rig.envelope({ executor: () => ({ summary: '', payload: payload as never }) });
    expect(envelope.payload).toEqual({ at: '1970-01-01T00:00:00.000Z' });
  });

  it('is checked against the output_schema', async () => {
    const stage = { outputSchema: { type: 'object', properties: { n: { type: 'integer' } } } } as const;
    const run = (payload?: number | object) =>
      failureOf({
        stage,
        executor: () => ({ summary: '', ...(payload !== undefined && { payload: payload as never }) }),
      });
    expect(await run({ n: 'x' })).toMatchObject({
      message: 'The payload does not meet the output_schema: payload/n must be integer',
      details: [{ reason: 'output-invalid' }],
    });
    expect(await run()).toMatchObject({ details: [{ reason: 'output-invalid' }] });
    const envelope = await rig.envelope({ stage, executor: () => ({ summary: '', payload: { n: 1 } }) });
    expect(envelope.payload).toEqual({ n: 1 });
  });

  it('is a failure for good when the output_schema is none', async () => {
    const failure = await failureOf({
      stage: { outputSchema: { type: 'nonsense' } },
      executor: () => ({ summary: '', payload: 1 }),
    });
    expect(failure).toMatchObject({ nonRetryable: true, details: [{ reason: 'output-schema-invalid' }] });
  });

  it('is no success without the declared artifacts, however they are made', async () => {
    const stage = { emits: ['a.md', 'b.md', 'c', 'd'] };
    const failure = await failureOf({ stage, executor: () => ({ summary: '' }) });
    expect(failure.message).toBe('The stage ended without its artifact a.md, b.md, c, d');
    expect(failure.details).toEqual([{ reason: 'artifact-missing' }]);
    await rig.envelope({
      stage,
      executor: async ({ writeArtifact, stream }) => {
        await writeArtifact({ name: 'a.md', content: '# A' });
        await stream('# B', { artifact: 'b.md' });
        await writeArtifact({ name: 'c', url: 'https://example.org/c' });
        return { summary: '', artifacts: [{ name: 'd', data: [1] }] };
      },
    });
  });
});

describe('what an executor throws', () => {
  it('stays with the operators', async () => {
    const cause = new Error('password=1234');
    const failure = await failureOf({
      executor: () => {
        throw new Error('secret', { cause });
      },
    });
    expect(failure).toMatchObject({ type: 'StageFailure', message: 'secret', nonRetryable: false });
    expect(failure.details).toEqual([{ reason: 'executor-failed' }]);
    expect(failure.cause).toMatchObject({ message: 'secret', cause: { message: 'password=1234' } });
  });

  it('is for the caller when it says so', async () => {
    const failure = await failureOf({
      executor: () => {
        throw new StageError('No such document', { retryable: false });
      },
    });
    expect(failure.nonRetryable).toBe(true);
    expect(failure.details).toEqual([{ reason: 'executor-failed', publicMessage: 'No such document' }]);
  });

  it.each([['text'], [undefined], [null], [7], [Symbol('x')]])('may be no Error: %p', async (thrown) => {
    const failure = await failureOf({
      executor: () => {
        throw thrown; // eslint-disable-line @typescript-eslint/only-throw-error -- the point of the test
      },
    });
    expect(failure.message).toContain('The executor threw what is no Error');
  });

  it('may be of any size and shape, and still fits into history', async () => {
    const error: Error = new Error('x'.repeat(20_000_000));
    error.cause = error;
    const failure = await failureOf({
      executor: () => {
        throw error;
      },
    });
    expect(failure.message.length).toBeLessThan(10_000);
    let depth = 0;
    for (let each: unknown = failure; each instanceof Error; each = each.cause) depth += 1;
    expect(depth).toBeLessThan(10);
  });

  it('may hold half of a surrogate pair, which no UTF-8 can carry', async () => {
    const failure = await failureOf({
      executor: () => {
        const cause = new Error('inner \udc00');
        throw Object.assign(new Error('outer \ud83d', { cause }), { name: 'Odd\ud83d' });
      },
    });
    expect(failure.message).toBe('outer \ufffd');
    for (let each: unknown = failure; each instanceof Error; each = each.cause) {
      expect([each.message, each.name, each.stack ?? ''].every((text) => text.isWellFormed())).toBe(true);
    }
  });

  const trap = () => {
    throw new Error('trap');
  };
  it.each([
    ['a message', Object.defineProperty(new Error('x'), 'message', { get: trap })],
    ['anything', new Proxy({}, { get: trap, has: trap, getPrototypeOf: trap })],
  ])('may throw again when %s of it is read', async (_what, thrown) => {
    const failure = await failureOf({
      executor: () => {
        throw thrown; // eslint-disable-line @typescript-eslint/only-throw-error -- the point of the test
      },
    });
    expect(failure).toMatchObject({ type: 'StageFailure', details: [{ reason: 'executor-failed' }] });
  });

  it.each([
    [{ kind: 'function', module: 'nowhere.ts', export: 'run' }, 'There is no module'],
    [{ kind: 'function', module: 'broken.mjs', export: 'run' }, 'does not load: on purpose'],
    [{ kind: 'function', module: 'other.mjs', export: 'run' }, 'does not export run (it exports number, other)'],
    [{ kind: 'function', module: 'other.mjs', export: 'number' }, 'exports number, which is no function'],
    [{ kind: 'function', module: 'other.mjs', export: 'toString' }, 'does not export toString'],
    [{ kind: 'nonsense' } as never, 'this worker knows no executor of kind nonsense'],
    [undefined, 'Stage plan has no executor'],
  ] as const)('is for good when there is no executor: %j', async (spec, why) => {
    const { writeFile } = await import('node:fs/promises');
    await writeFile(`${rig.directory}/broken.mjs`, 'throw new Error("on purpose");');
    await writeFile(`${rig.directory}/other.mjs`, 'export const other = () => 1; export const number = 1;');
    const failure = await failureOf({ ...(spec !== undefined && { spec }) });
    expect(failure.message).toContain(why);
    expect(failure).toMatchObject({ nonRetryable: true, details: [{ reason: 'executor-not-found' }] });
  });
});

describe('retries', () => {
  const executor = () => {
    throw new Error('again');
  };
  const attempt = (number: number, info = {}) =>
    failureOf({ executor, stage: { retries: 2 }, info: { attempt: number, ...info } });

  it('are used up by failures of the executor alone: attempts lost with a worker do not count', async () => {
    expect((await attempt(1)).nonRetryable).toBe(false);
    expect((await attempt(7)).nonRetryable).toBe(false); // 2 to 6 were lost
    expect((await attempt(8)).nonRetryable).toBe(true);
  });

  it('count an attempt once, when it is lost after it was counted', async () => {
    for (let repeat = 0; repeat < 5; repeat += 1) expect((await attempt(1)).nonRetryable).toBe(false);
  });

  it('begin anew when the stage is entered again', async () => {
    for (const number of [1, 2]) expect((await attempt(number)).nonRetryable).toBe(false);
    expect((await attempt(1, { activityId: '2' })).nonRetryable).toBe(false);
  });

  it('are not used up by a store that is away', async () => {
    const steps = {
      get: async () => undefined,
      put: async () => {
        throw new Error('disk full');
      },
    };
    await using other = await createStageRig({ steps });
    for (const number of [1, 2, 3, 4]) {
      const failure = await failureOf(
        {
          executor: ({ step }) => step('a', () => ({ summary: '' })),
          stage: { retries: 0 },
          info: { attempt: number },
        },
        other,
      );
      expect(failure).toMatchObject({ nonRetryable: false, details: [{ reason: 'storage-unavailable' }] });
    }
  });
});

describe('ask', () => {
  const question = { id: 'years', kind: 'free_text', message: 'Which years?' } as const;

  it('ends the run with the question, and gives the answer in the next', async () => {
    const executor = async ({ ask }: ExecutorContext) => ({ summary: await ask(question) });
    expect(await rig.run({ executor })).toEqual({ outcome: 'ask', ask: question });
    const envelope = await rig.envelope({ executor, run: { turn: 1, answers: { years: '1999' } } });
    expect(envelope.summary).toBe('1999');
  });

  it('ends it also when the executor catches what ask throws', async () => {
    const executor = async ({ ask }: ExecutorContext) => {
      const years = await ask(question).catch(() => 'all');
      return { summary: years };
    };
    expect(await rig.run({ executor })).toEqual({ outcome: 'ask', ask: question });
  });

  it('ends it also when the executor fails or hangs afterwards, or does not await', async () => {
    await using hasty = await createStageRig({ stopGraceMs: 50 });
    const outcome = { outcome: 'ask', ask: question };
    const asks = async ({ ask }: ExecutorContext) => {
      await ask(question).catch(() => undefined);
    };
    expect(
      await hasty.run({
        executor: async (context) => {
          await asks(context);
          throw new Error('confused');
        },
      }),
    ).toEqual(outcome);
    expect(
      await hasty.run({
        executor: async (context) => {
          await asks(context);
          return Promise.withResolvers<never>().promise;
        },
      }),
    ).toEqual(outcome);
    expect(
      await hasty.run({
        executor: async ({ ask }) => {
          void ask(question);
          return { summary: '' };
        },
      }),
    ).toEqual(outcome);
  });

  it('asks the first of two questions', async () => {
    const executor = async ({ ask }: ExecutorContext) => {
      await Promise.all([ask(question), ask({ ...question, id: 'other' })]);
      return { summary: '' };
    };
    expect(await rig.run({ executor })).toEqual({ outcome: 'ask', ask: question });
  });

  it('is a failure for good when the stage does not declare the kind, caught or not', async () => {
    const failure = await failureOf({
      stage: { gates: ['confirm'] },
      executor: async ({ ask }) => ({ summary: await ask(question).catch(() => '') }),
    });
    expect(failure).toMatchObject({ nonRetryable: true, details: [{ reason: 'gate-not-declared' }] });
  });

  it('takes no answer from Object.prototype', async () => {
    const odd = { ...question, id: 'constructor' };
    const executor = async ({ ask }: ExecutorContext) => ({ summary: await ask(odd) });
    expect(await rig.run({ executor })).toEqual({ outcome: 'ask', ask: odd });
  });
});

function answered(...pairs: string[]): StartOptions {
  const answers: Record<string, string> = {};
  for (let index = 0; index < pairs.length; index += 2) answers[pairs[index]!] = pairs[index + 1]!;
  return { run: { turn: 1, answers } };
}

function upstreamOf(summary: string): StartOptions {
  return { upstream: { earlier: { summary, artifacts: [] } } };
}

function says(text: string): Message {
  return { messageId: text, role: 'ROLE_USER', parts: [{ text }] };
}

describe('step', () => {
  it('is done once over questions and retries', async () => {
    let done = 0;
    const executor = async ({ ask, step }: ExecutorContext) => {
      const count = await step('count', () => ++done);
      await step('nothing', () => {
        done += 10;
        return undefined;
      });
      await ask({ id: 'go', kind: 'confirm', message: 'Go on?' });
      if (done < 100) {
        done += 100;
        throw new Error('after the answer');
      }
      return { summary: String(count), payload: await step('count', () => -1) };
    };
    expect(await rig.run({ executor })).toMatchObject({ outcome: 'ask' });
    const run = { turn: 1, answers: { go: { decision: 'accept' } } } as const;
    await failureOf({ executor, run });
    expect(await rig.envelope({ executor, run, info: { attempt: 2 } })).toMatchObject({ summary: '1', payload: 1 });
    expect(done).toBe(111);
  });

  it('of one name at the same time is one step', async () => {
    let done = 0;
    const envelope = await rig.envelope({
      executor: async ({ step }) => ({
        summary: '',
        payload: await Promise.all([1, 2, 3].map(() => step('same', async () => ++done))),
      }),
    });
    expect(envelope.payload).toEqual([1, 1, 1]);
  });

  it('is repeated when it failed, and when its result was no JSON', async () => {
    const executor = async ({ step, attempt }: ExecutorContext) => ({
      summary: await step('a', () => {
        if (attempt === 1) throw new Error('first');
        return attempt === 2 ? (1n as never) : 'third';
      }),
    });
    expect((await failureOf({ executor })).message).toBe('first');
    expect((await failureOf({ executor, info: { attempt: 2 } })).message).toBe(
      'The result of step "a" is a BigInt, which JSON cannot carry',
    );
    expect((await rig.envelope({ executor, info: { attempt: 3 } })).summary).toBe('third');
  });

  it.each<[string, StartOptions, StartOptions, number]>([
    ['again when an operator’s reset led to another answer', answered('a', 'red'), answered('a', 'blue'), 2],
    ['again when the answer is gone', answered('a', 'red'), {}, 2],
    ['again for what another run of an earlier stage made', upstreamOf('first'), upstreamOf('second'), 2],
    [
      'again for another element in the same place',
      { run: { element: 0, item: 1 } },
      { run: { element: 0, item: 2 } },
      2,
    ],
    ['again without the follow-up that it knew', { run: { followUps: [says('more')] } }, {}, 2],
    ['once when answers and follow-ups are added', answered('a', 'red'), answered('a', 'red', 'b', 'x'), 1],
  ])('is done %s', async (_name, before, after, times) => {
    let done = 0;
    const executor = async ({ step }: ExecutorContext) => ({ summary: `${await step('count', () => ++done)}` });
    await rig.envelope({ executor, ...before });
    expect((await rig.envelope({ executor, ...after })).summary).toBe(`${times}`);
    expect((await rig.envelope({ executor, ...after })).summary).toBe(`${times}`);
  });

  it('is not done again because an executor changes what it was given', async () => {
    let done = 0;
    const executor = async ({ step, input }: ExecutorContext) => {
      Object.assign(input as object, { at: ++done });
      return { summary: `${await step('count', () => done)}` };
    };
    for (let time = 0; time < 2; time += 1) {
      expect((await rig.envelope({ executor })).summary).toBe('1');
    }
  });

  it('is the element’s own under for_each', async () => {
    const executor = async ({ step, item }: ExecutorContext) => ({ summary: await step('a', () => item as string) });
    expect((await rig.envelope({ executor, run: { element: 0, item: 'x' } })).summary).toBe('x');
    expect((await rig.envelope({ executor, run: { element: 1, item: 'y' } })).summary).toBe('y');
  });

  it('keeps its artifacts for a run that does not repeat it', async () => {
    const executor = async ({ ask, step, writeArtifact }: ExecutorContext) => {
      await step('outer', () =>
        step('write', async () => ({ ...(await writeArtifact({ name: 'a.md', content: '# A' })) })),
      );
      await ask({ id: 'go', kind: 'confirm', message: 'Go on?' });
      return { summary: '' };
    };
    const stage = { emits: ['a.md'] };
    await rig.run({ executor, stage });
    const run = { turn: 1, answers: { go: { decision: 'accept' } } } as const;
    const { artifacts } = await rig.envelope({ executor, stage, run });
    expect(artifacts).toMatchObject([{ name: 'a.md', bytes: 3 }]);
  });
});

describe('cancel and shutdown', () => {
  const untilAborted = async ({ signal }: ExecutorContext) => {
    await once(signal, 'abort');
    throw signal.reason;
  };

  async function startAndCancel(
    reason: 'CANCELLED' | 'WORKER_SHUTDOWN',
    executor = untilAborted,
    over: StageRig = rig,
  ) {
    const started = Promise.withResolvers<undefined>();
    const { outcome, environment } = over.start({
      stage: { retries: 0 },
      executor: (context) => {
        const work = executor(context);
        started.resolve(undefined);
        return work;
      },
    });
    const error = outcome.catch((thrown: unknown) => thrown);
    await started.promise;
    environment.cancel(reason);
    return error;
  }

  it('a cancel ends as cancelled, once the executor has stopped', async () => {
    let stopped = false;
    const error = await startAndCancel('CANCELLED', async (context) => {
      try {
        return await untilAborted(context);
      } finally {
        await setImmediate();
        stopped = true;
      }
    });
    expect(error).toMatchObject({ name: 'CancelledFailure', message: 'CANCELLED' });
    expect(stopped).toBe(true);
  });

  it('a result after the cancel counts no more', async () => {
    const error = await startAndCancel('CANCELLED', async ({ signal }) => {
      await once(signal, 'abort');
      return { summary: 'half' } as never;
    });
    expect(error).toMatchObject({ name: 'CancelledFailure' });
  });

  it('an executor that does not stop is left behind', async () => {
    await using hasty = await createStageRig({ stopGraceMs: 20 });
    const error = await startAndCancel('CANCELLED', () => Promise.withResolvers<never>().promise, hasty);
    expect(error).toMatchObject({ name: 'CancelledFailure' });
    expect(hasty.logged.join()).toContain('did not stop when told to');
  });

  it('a worker that shuts down is no failure: the stage runs again soon', async () => {
    const error = await startAndCancel('WORKER_SHUTDOWN');
    expect(error).toMatchObject({ type: 'WorkerShutdown', nonRetryable: false, nextRetryDelay: 100 });
    const failure = await failureOf({
      stage: { retries: 1 },
      info: { attempt: 2 },
      executor: () => {
        throw new Error('first of its own');
      },
    });
    expect(failure.nonRetryable).toBe(false);
  });

  it('refuses what an executor still says after its run', async () => {
    let kept: ExecutorContext | undefined;
    await rig.run({
      executor: (context) => {
        kept = context;
        return { summary: '' };
      },
    });
    const before = rig.signals.length;
    await expect(kept?.stream('late')).rejects.toThrow('The stage has ended');
    await expect(kept?.writeArtifact({ name: 'late.md', content: '' })).rejects.toThrow('The stage has ended');
    expect(kept?.signal.aborted).toBe(true);
    expect(rig.signals).toHaveLength(before);
  });

  it('sends no heartbeat when it is over at once', async () => {
    const { outcome, environment } = rig.start({
      info: { heartbeatTimeoutMs: 30_000 },
      executor: async () => ({ summary: '' }),
    });
    let beats = 0;
    environment.on('heartbeat', () => (beats += 1));
    await outcome;
    expect(beats).toBe(0);
  });

  it('heartbeats while it works', async () => {
    const beats: unknown[] = [];
    const enough = Promise.withResolvers<undefined>();
    const { outcome, environment } = rig.start({
      info: { heartbeatTimeoutMs: 30 },
      executor: async () => {
        await enough.promise;
        return { summary: '' };
      },
    });
    environment.on('heartbeat', (details) => {
      if (beats.push(details) === 5) enough.resolve(undefined);
    });
    await outcome;
    expect(beats.length).toBeGreaterThanOrEqual(5);
    expect(new Set(beats)).toEqual(new Set(['plan']));
  });
});

describe('what a stage shows', () => {
  it('shows progress and text, closed before it returns', async () => {
    await rig.envelope({
      run: { turn: 2 },
      info: { attempt: 3 },
      executor: async ({ progress, stream }) => {
        await progress({ text: 'Reading', percent: 140, step: 'read' });
        await stream('Hello ');
        await stream('world');
        return { summary: 'Hello world' };
      },
    });
    expect(rig.signals.map(({ seq }) => seq)).toEqual(rig.signals.map((_, index) => index + 1));
    expect(rig.signals[0]).toMatchObject({
      stageId: 'plan',
      turn: 2,
      attempt: 3,
      items: [{ text: 'Reading', percent: 100 }],
    });
    const items = artifactItems(rig.signals);
    expect(items.map(({ artifact }) => artifact.parts[0]?.text).join('')).toBe('Hello world');
    expect(items.map(({ artifact }) => artifact.artifactId)).toEqual(items.map(() => 'answer'));
    expect(items[0]?.append).toBe(false);
    expect(items.at(-1)?.lastChunk).toBe(true);
  });

  it('shows files, data and links each as its part, under IDs that stay', async () => {
    const executor = async ({ writeArtifact }: ExecutorContext) => {
      const file = await writeArtifact({ name: 'a.md', content: '# A', description: 'The first' });
      const data = await writeArtifact({ name: 'b.json', data: { b: 1 } });
      const link = await writeArtifact({ name: 'c', url: 'https://example.org/c?d=1' });
      return { summary: '', payload: [file?.mediaType ?? null, data?.bytes ?? null, link?.bytes ?? null] };
    };
    const envelope = await rig.envelope({ executor });
    expect(envelope.payload).toEqual(['text/markdown', 7, null]);
    const [a, b, c] = artifactItems(rig.signals).map((item) => item.artifact);
    expect(a).toMatchObject({ name: 'a.md', description: 'The first' });
    expect(a?.parts).toMatchObject([{ filename: 'a.md', mediaType: 'text/markdown', metadata: { bytes: 3 } }]);
    expect(await rig.readPart(a)).toBe('# A');
    expect(b?.parts).toEqual([{ data: { b: 1 }, mediaType: 'application/json' }]);
    expect(c?.parts).toEqual([{ url: 'https://example.org/c?d=1', filename: 'c' }]);
    expect(envelope.artifacts.map(({ name }) => name)).toEqual(['a.md', 'b.json']);
    await rig.envelope({ executor, info: { attempt: 2 } });
    const ids = artifactItems(rig.signals).map((item) => item.artifact.artifactId);
    expect(ids.slice(3)).toEqual(ids.slice(0, 3));
  });

  it('copies the file that a path names', async () => {
    const { writeFile } = await import('node:fs/promises');
    const executor = async ({ writeArtifact }: ExecutorContext) => {
      await writeFile(`${rig.directory}/out.csv`, 'a,b\n');
      await writeArtifact({ name: 'table.csv', path: 'out.csv' });
      await writeFile(`${rig.directory}/out.csv`, 'changed');
      return { summary: '' };
    };
    const { artifacts } = await rig.envelope({ executor });
    expect(artifacts).toMatchObject([{ name: 'table.csv', mediaType: 'text/csv' }]);
    expect(await rig.read(artifacts[0]!)).toBe('a,b\n');
  });

  it.each([
    [{}, 'name must be a text'],
    [{ name: '../a', content: '' }, 'without folders'],
    [{ name: 'a\nb', content: '' }, 'without folders'],
    [{ name: 'a' }, 'exactly one of'],
    [{ name: 'a', content: '', url: 'https://x' }, 'exactly one of'],
    [{ name: 'a', content: 5 }, 'must be a text or bytes'],
    [{ name: 'a', url: 'file:///etc/passwd' }, 'http or https'],
    [{ name: 'a', url: 'javascript:alert(1)' }, 'http or https'],
    [{ name: 'a', path: 'nowhere' }, 'ENOENT'],
    [{ name: 'a', path: '.' }, 'is no file'],
    [{ name: 'a', data: { f: Number.POSITIVE_INFINITY } }, 'The data of artifact "a".f is Infinity'],
  ])('refuses the artifact %j', async (artifact, why) => {
    const failure = await failureOf({
      executor: async ({ writeArtifact }) => {
        await writeArtifact(artifact as never);
        return { summary: '' };
      },
    });
    expect(failure.message).toContain(why);
    expect(failure.details).toEqual([{ reason: 'executor-failed' }]);
  });

  it('does not wait for a named pipe that nobody writes to', async () => {
    const pipe = `${rig.directory}/pipe`;
    execFileSync('mkfifo', [pipe]);
    const failure = await failureOf({
      executor: async ({ writeArtifact }) => {
        await writeArtifact({ name: 'a', path: pipe });
        return { summary: '' };
      },
    });
    expect(failure.message).toContain('is no file');
  });

  it('keeps to itself what is not the caller’s to see, and stores it all the same', async () => {
    const { artifacts } = await rig.envelope({
      run: { isShown: false },
      executor: async ({ progress, stream, writeArtifact }) => {
        await progress({ text: 'Working' });
        await stream('secret');
        await stream('notes', { artifact: 'notes.md' });
        await writeArtifact({ name: 'a.md', content: '# A' });
        return { summary: '' };
      },
    });
    expect(artifactItems(rig.signals)).toEqual([]);
    expect(rig.signals.flatMap(({ items }) => items)).toMatchObject([{ text: 'Working' }]);
    expect(artifacts.map(({ name }) => name).sort()).toEqual(['a.md', 'notes.md']);
  });

  it('waits for what the executor did not await', async () => {
    const { artifacts } = await rig.envelope({
      executor: ({ writeArtifact }) => {
        void writeArtifact({ name: 'a.md', content: 'x'.repeat(3_000_000) });
        return { summary: '' };
      },
    });
    expect(artifacts).toMatchObject([{ name: 'a.md', bytes: 3_000_000 }]);
  });

  it('shows 60,000 chunks in order, in few signals', async () => {
    const text = Array.from({ length: 60_000 }, (_, index) => `${index},`);
    await rig.envelope({
      executor: async ({ stream }) => {
        for (const chunk of text) await stream(chunk);
        return { summary: '' };
      },
    });
    const items = artifactItems(rig.signals);
    expect(items.map(({ artifact }) => artifact.parts[0]?.text).join('')).toBe(text.join(''));
    expect(items.every(({ artifact }) => Buffer.byteLength(artifact.parts[0]?.text ?? '') <= 262_144)).toBe(true);
    expect(rig.signals.length).toBeLessThan(40);
  });

  it('makes a streamed text of more than 1 MiB a file in the end', async () => {
    const chunk = '0123456789abcdef'.repeat(1024);
    const { artifacts } = await rig.envelope({
      executor: async ({ stream }) => {
        for (let index = 0; index < 200; index += 1) await stream(chunk);
        return { summary: 'short' };
      },
    });
    const items = artifactItems(rig.signals);
    const shown = items.slice(0, -1).map(({ artifact }) => artifact.parts[0]?.text ?? '');
    expect(Buffer.byteLength(shown.join(''))).toBeLessThanOrEqual(1024 * 1024);
    const last = items.at(-1);
    expect(last).toMatchObject({ append: false, lastChunk: true, artifact: { artifactId: 'answer' } });
    expect(await rig.readPart(last?.artifact)).toBe(chunk.repeat(200));
    expect(artifacts).toMatchObject([{ artifactId: 'answer', name: 'answer.md', bytes: 3_276_800 }]);
  });

  it('starts an artifact anew when told to, also one that had become a file', async () => {
    const { artifacts } = await rig.envelope({
      executor: async ({ stream }) => {
        await stream('x'.repeat(2_000_000), { artifact: 'a.txt' });
        await stream('second', { artifact: 'a.txt', append: false });
        return { summary: '' };
      },
    });
    expect(await rig.read(artifacts[0]!)).toBe('second');
    expect(artifacts).toHaveLength(1);
  });

  it('makes a summary of 20 MB a file, and leaves its beginning', async () => {
    const summary = 'ü'.repeat(10_000_000);
    const envelope = await rig.envelope({ executor: () => ({ summary }) });
    expect(envelope.summary).toBe(`${'ü'.repeat(1_000)}…`);
    expect(envelope.artifacts).toMatchObject([
      { artifactId: 'answer', name: 'answer.md', mediaType: 'text/markdown', bytes: 20_000_000 },
    ]);
    expect(await rig.read(envelope.artifacts[0]!)).toBe(summary);
  });

  it('gives the same idempotency key on every try of a stage and element', async () => {
    const executor = ({ idempotencyKey }: ExecutorContext) => ({ summary: idempotencyKey });
    const keyOf = async (options: StartOptions) => (await rig.envelope({ ...options, executor })).summary;
    const key = await keyOf({});
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(await keyOf({ info: { attempt: 4 }, run: { turn: 3 } })).toBe(key);
    expect(new Set([key, await keyOf({ run: { element: 0 } }), await keyOf({ run: { element: 1 } })]).size).toBe(3);
  });

  it('sends again what Temporal did not take, and ends although it refuses for good', async () => {
    const seen: number[] = [];
    await using flaky = await createStageRig({
      sendProgress: async (_run, { seq }) => {
        seen.push(seq);
        if (seen.length === 1) throw Object.assign(new Error('unavailable'), { code: 14 });
        if (seq === 2) throw new Error('not there', { cause: Object.assign(new Error(), { code: 5 }) });
      },
    });
    await flaky.envelope({
      executor: async ({ progress }) => {
        await progress({ text: 'one' });
        await setImmediate();
        await progress({ text: 'two' });
        return { summary: '' };
      },
    });
    expect(seen).toEqual([1, 1, 2]);
  });
});
