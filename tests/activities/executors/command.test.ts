import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { artifactItems, createStageRig } from '../stage-rig.ts';
import type { StageRig, StartOptions } from '../stage-rig.ts';

let rig: StageRig;
beforeEach(async () => {
  rig = await createStageRig({ environment: { ...process.env, LONGHAUL_SECRET: 's3cret' } });
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
});

/** A command whose program is this JavaScript; `said` prints a line, `input` is what it was given. */
async function program(source: string): Promise<StartOptions> {
  const prelude = `
    import { readFileSync } from 'node:fs';
    const say = (line) => process.stdout.write(JSON.stringify(line) + '\\n');
    const input = JSON.parse(readFileSync(0, 'utf8'));
  `;
  await writeFile(join(rig.directory, 'program.mjs'), prelude + source);
  return { spec: { kind: 'command', command: [process.execPath, 'program.mjs'] } };
}

const sh = (script: string): StartOptions => ({ spec: { kind: 'command', command: ['sh', '-c', script] } });

async function failureOf(options: StartOptions): Promise<ApplicationFailure> {
  const error: unknown = await rig.run(options).catch((thrown: unknown) => thrown);
  if (!(error instanceof ApplicationFailure)) throw new Error(`Not an application failure: ${String(error)}`);
  return error;
}

/** Whether the process is there and no zombie. */
async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return stat !== undefined && !stat.includes(') Z ');
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(10);
}

async function pidsIn(file: string): Promise<number[]> {
  const text = await readFile(join(rig.directory, file), 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean).map(Number);
}

describe('a command', () => {
  it('gets its input as JSON and gives its result as a line of JSON', async () => {
    const options = await program(`
      say({ result: { summary: input.input.text, payload: { item: input.item, keys: Object.keys(input).sort() } } });
    `);
    const envelope = await rig.envelope({
      ...options,
      run: { element: 2, item: { q: 1 } },
      facts: { goal: 'A report' },
    });
    expect(envelope.summary).toBe('hello');
    expect(envelope.payload).toEqual({
      item: { q: 1 },
      keys: 'answers attempt caller contextId followUps goal idempotencyKey index input item message stage taskId upstream'.split(
        ' ',
      ),
    });
  });

  it('shows progress, text and files as it says them', async () => {
    const options = await program(`
      import { writeFileSync } from 'node:fs';
      say({ progress: { text: 'Working', percent: 10 } });
      say({ stream: 'Hello ' });
      say({ stream: { text: 'world', artifact: 'notes.md' } });
      writeFileSync('report.md', '# Report');
      say({ artifact: { path: 'report.md' } });
      say({ result: 'done' });
    `);
    const { summary, artifacts } = await rig.envelope({ ...options, stage: { emits: ['report.md', 'notes.md'] } });
    expect(summary).toBe('done');
    expect(artifacts.map(({ name }) => name).sort()).toEqual(['notes.md', 'report.md']);
    expect(rig.signals[0]?.items).toMatchObject([{ text: 'Working', percent: 10 }]);
    expect(artifactItems(rig.signals).map((item) => item.artifact.name)).toContain('report.md');
  });

  it('asks by a line, and runs again with the answer', async () => {
    const options = await program(`
      if (input.answers.years === undefined) say({ ask: { id: 'years', kind: 'free_text', message: 'Which years?' } });
      else say({ result: { summary: input.answers.years } });
    `);
    expect(await rig.run(options)).toEqual({
      outcome: 'ask',
      ask: { id: 'years', kind: 'free_text', message: 'Which years?' },
    });
    expect((await rig.envelope({ ...options, run: { answers: { years: '1999' } } })).summary).toBe('1999');
  });

  it('is told that its question has been answered', async () => {
    const options = sh(`echo '{"ask": {"id": "a", "kind": "free_text", "message": "?"}}'`);
    expect((await failureOf({ ...options, run: { answers: { a: 'yes' } } })).message).toContain('asked "a" again');
  });

  it('may write what it likes: what is no JSON of ours goes to the log', async () => {
    const options = sh(
      `echo plain; echo '{"other": 1}'; echo '{"result": 1'; echo oops >&2; echo '{"result": "ok"}'; printf tail`,
    );
    expect((await rig.envelope(options)).summary).toBe('ok');
    const logged = rig.logged.map((line) => line.split(' {"taskId"')[0]);
    expect(logged).toEqual(expect.arrayContaining(['plain', '{"other": 1}', '{"result": 1', 'oops', 'tail']));
  });

  it('fails with its last words when it ends without a result', async () => {
    const failure = await failureOf(sh('echo reading >&2; echo "no such table" >&2; exit 3'));
    expect(failure.message).toMatch(/ended with code 3 and without a result; it last wrote:\nreading\nno such table$/);
    expect(failure).toMatchObject({ nonRetryable: false, details: [{ reason: 'executor-failed' }] });
    expect((await failureOf(sh('kill -KILL $$'))).message).toContain('ended by SIGKILL and without a result');
    expect((await failureOf(sh('true'))).message).toContain('ended with code 0 and without a result');
  });

  it.each([
    [`{"progress": 5}`, 'progress takes one object'],
    [`{"stream": 5}`, 'the text must be a text'],
    [`{"artifact": {"path": "nowhere.md"}}`, 'ENOENT'],
    [`{"ask": {"id": "a", "kind": "guess", "message": "?"}}`, 'needs a kind'],
    [`{"result": {"summary": 1}}`, 'The summary must be a text'],
  ])('fails when it says %s', async (line, why) => {
    expect(
      (
        await failureOf(
          sh(`echo '${line}'; exec sleep 100`.replace(/exec.*/, line.includes('result') ? '' : 'exec sleep 100')),
        )
      ).message,
    ).toContain(why);
  });

  it('that is not there is a failure for good', async () => {
    const failure = await failureOf({ spec: { kind: 'command', command: ['no-such-command'] } });
    expect(failure.message).toContain('The command no-such-command cannot be started');
    expect(failure).toMatchObject({ nonRetryable: true, details: [{ reason: 'executor-not-found' }] });
  });

  it('runs in the publication’s root, with the task in its environment and none of the worker’s secrets', async () => {
    const options = await program(`say({ result: { summary: process.cwd(), payload: { ...process.env } } });`);
    const { summary, payload } = await rig.envelope({ ...options, run: { element: 1 } });
    expect(summary).toBe(rig.directory);
    expect(payload).toMatchObject({ PATH: expect.any(String), LONGHAUL_TASK_ID: 'echo-abc', LONGHAUL_ELEMENT: '1' });
    expect(payload).not.toHaveProperty('LONGHAUL_SECRET');
  });

  it('need not read its input, however long', async () => {
    const options = sh(`exec <&-; echo '{"result": "ok"}'`);
    expect((await rig.envelope({ ...options, facts: { goal: 'x'.repeat(5_000_000) } })).summary).toBe('ok');
  });

  it('may print a result of many megabytes, and 20,000 chunks in order', async () => {
    const options = await program(`
      for (let index = 0; index < 20000; index += 1) say({ stream: index + ',' });
      say({ result: { summary: '', payload: 'y'.repeat(8_000_000) } });
    `);
    const { payload } = await rig.envelope({ ...options, run: { isResult: false } });
    expect(payload).toHaveLength(8_000_000);
    const text = artifactItems(rig.signals).map(({ artifact }) => artifact.parts[0]?.text);
    expect(text.join('')).toBe(Array.from({ length: 20_000 }, (_, index) => `${index},`).join(''));
  });

  it('is stopped when a line of its output does not end', async () => {
    const failure = await failureOf(sh('head -c 40000000 /dev/zero | tr "\\\\0" x; sleep 100'));
    expect(failure.message).toBe('A line of output is longer than 33554432 bytes');
  });

  it('takes with it what it started and left running', async () => {
    const options = sh(`sleep 100 & echo $! > pids; echo '{"result": "ok"}'`);
    expect((await rig.envelope(options)).summary).toBe('ok');
    const [child] = await pidsIn('pids');
    expect(await isAlive(child!)).toBe(false);
  });

  it('ends with everything it started when the stage is cancelled, also what ignores SIGTERM', async () => {
    await using hasty = await createStageRig({ stopGraceMs: 1_000 });
    const deaf = `trap "" TERM; sleep 100 & echo $! >> pids; while :; do sleep 1; done`;
    await writeFile(join(hasty.directory, 'deaf.sh'), deaf);
    const { outcome, environment } = hasty.start(sh(`echo $$ >> pids; sh deaf.sh & echo $! >> pids; wait`));
    const error = outcome.catch((thrown: unknown) => thrown);
    const pids = async () =>
      (await readFile(join(hasty.directory, 'pids'), 'utf8').catch(() => '')).split('\n').filter(Boolean).map(Number);
    await until(async () => (await pids()).length === 3);
    environment.cancel();
    expect(await error).toMatchObject({ name: 'CancelledFailure' });
    for (const pid of await pids()) expect(await isAlive(pid)).toBe(false);
  });

  it('ends when the worker is killed without a word', async () => {
    const fixture = fileURLToPath(new URL('../../fixtures/run-process-group.ts', import.meta.url));
    const script = `trap "" HUP; sleep 100 & echo $! > ${rig.directory}/pids; wait`;
    const worker = spawn(process.execPath, [fixture, 'sh', '-c', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(worker.stdout, 'data')) as [Buffer];
    const leader = Number(line.toString());
    await until(async () => (await pidsIn('pids')).length === 1);
    const [child] = await pidsIn('pids');
    expect(await isAlive(leader)).toBe(true);
    worker.kill('SIGKILL');
    await until(async () => !(await isAlive(leader)) && !(await isAlive(child!)));
  });
});
