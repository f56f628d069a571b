import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Task } from '../../src/domain/a2a.ts';
import { temporaryFolder, testServer, uniqueTaskQueue } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import type { Place, RunningLonghaul } from './run-longhaul.ts';
import { longhaul, startLonghaul } from './run-longhaul.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let place: Place;
let up: RunningLonghaul;
const { address, namespace } = testServer();
const upArgs = ['up', '--port', '0', '--operator-port', '0', '--temporal-address', address, '--namespace', namespace];

beforeAll(async () => {
  folder = await temporaryFolder();
  place = { cwd: folder.path, env: { LONGHAUL_TASK_QUEUE: uniqueTaskQueue() } };
  await longhaul(['init'], place);
  up = await startLonghaul(upArgs, place);
}, 120_000);

afterAll(async () => {
  await up[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
}, 60_000);

async function submit(skill: string, words: string, ...flags: string[]): Promise<{ task: Task; messageId: string }> {
  const { stdout } = await longhaul(['submit', '--skill', skill, words, '--json', ...flags], place);
  return JSON.parse(stdout) as { task: Task; messageId: string };
}

describe('what init wrote', () => {
  it('is all that up needs, and is written over by no second init', async () => {
    expect(await readdir(folder.path)).toEqual(
      expect.arrayContaining(['a2a.yaml', 'echo.mts', 'brief.mts', 'brief.pipeline.yaml']),
    );
    const before = await readFile(join(folder.path, 'a2a.yaml'), 'utf8');
    expect(await longhaul(['init'], place)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('writes over nothing'),
    });
    expect(await readFile(join(folder.path, 'a2a.yaml'), 'utf8')).toBe(before);
  });

  it('answers as a plain skill', async () => {
    const { code, stdout } = await longhaul(['submit', '--skill', 'echo', 'Hello', 'there', '--wait'], place);
    expect(code).toBe(0);
    expect(stdout).toMatch(/completed\nHello there\n/);
  });

  it('asks, waits with exit code 3, takes an answer, and ends with its artifact', async () => {
    const asked = await longhaul(['submit', '--skill', 'brief', 'Tides', '--wait', '--json'], place);
    expect(asked.code).toBe(3);
    const { id } = JSON.parse(asked.stdout) as Task;
    expect(await longhaul(['get', id], place)).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('Who will read about "Tides"?'),
    });

    const watching = longhaul(['watch', id], place);
    expect(await longhaul(['answer', id, 'everyone'], place)).toMatchObject({ code: 0 });
    const watched = await watching;
    expect(watched.code).toBe(0);
    expect(watched.stdout).toContain('draft completed');
    expect(watched.stdout).toMatch(/brief\.md {2}http:\S+\/a2a\/artifacts\//);
  });

  it('lists its tasks, the newest first, by state when asked', async () => {
    const { task } = await submit('brief', 'Rivers');
    const { code, stdout } = await longhaul(['list', '--limit', '1', '--json'], place);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ tasks: [{ id: task.id }] });
    const all = await longhaul(['list'], place);
    expect(all.stdout).toMatch(new RegExp(`^${task.id} .*Rivers$`, 'm'));
    const failed = await longhaul(['list', '--status', 'failed'], place);
    expect(failed).toMatchObject({ code: 0, stdout: 'No tasks.\n' });
    expect(await longhaul(['list', '--status', 'odd'], place)).toMatchObject({ code: 2 });
  });

  it('is answered by an operator, too, who sees every open question', async () => {
    const { task } = await submit('brief', 'Clouds');
    const pending = await eventually(async () => {
      const { stdout } = await longhaul(['pending', '--json'], place);
      const { questions } = JSON.parse(stdout) as { questions: { taskId: string; requestId: string; kind: string }[] };
      return questions.find(({ taskId }) => taskId === task.id);
    });
    expect(pending).toMatchObject({ kind: 'free_text', requestId: expect.any(String) });
    expect(await longhaul(['answer', '--operator', pending.requestId, 'pilots'], place)).toMatchObject({ code: 0 });
    expect(await longhaul(['watch', task.id], place)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('for pilots'),
    });
  });
});

describe('for programs', () => {
  it('prints the task, and answers a resent message with it', async () => {
    const first = await submit('echo', 'once', '--id', 'message-1');
    const again = await submit('echo', 'once', '--id', 'message-1');
    expect(first).toMatchObject({
      messageId: 'message-1',
      task: { id: expect.stringMatching(/^echo-/), status: { state: expect.any(String) } },
    });
    expect(again.task.id).toBe(first.task.id);
  });

  it('watches as one event a line, from the task to its end', async () => {
    const { task } = await submit('echo', 'lines');
    const { code, stdout } = await longhaul(['watch', task.id, '--json'], place);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(code).toBe(0);
    expect(events[0]).toHaveProperty('task');
    expect(JSON.stringify(events.at(-1))).toContain('TASK_STATE_COMPLETED');
  });

  it('cancels a task, which then has failed for a script', async () => {
    const { task } = await submit('brief', 'Never');
    expect(await longhaul(['cancel', task.id, '--json'], place)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('TASK_STATE_CANCELED'),
    });
    expect(await longhaul(['get', task.id], place)).toMatchObject({ code: 1 });
    expect(await longhaul(['cancel', task.id, '--json'], place)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not-cancelable'),
    });
  });
});

describe('a failure is a sentence, a next step and a code', () => {
  it.each([
    ['a task that is not there', ['get', 'echo-none'], 4, 'Task not found'],
    ['no text', ['submit'], 2, 'nothing to submit'],
    ['data that is no JSON', ['submit', '--data', '{'], 2, '--data is no JSON'],
    ['a publication that is not there', ['submit', 'x', '--skill', 'nope'], 2, 'you may use "echo", "brief"'],
    ['an unknown flag', ['get', 'x', '--nope'], 2, 'unknown option'],
    ['nobody there', ['get', 'x', '--url', 'http://127.0.0.1:9'], 5, 'longhaul up'],
    ['a wrong token', ['get', 'x', '--token-env', 'WRONG'], 6, 'does not accept this token'],
    ['a second up', upArgs, 1, 'Use that one'],
    ['no Temporal', ['worker'], 2, '--temporal-address'],
    ['no configuration', ['up', '--config', 'none.yaml'], 2, 'none.yaml'],
  ])('%s', async (_what, args, code, words) => {
    const ended = await longhaul(args, {
      ...place,
      env: { ...place.env, WRONG: 'x'.repeat(40), LONGHAUL_SECRET: 's'.repeat(64) },
    });
    expect(ended).toMatchObject({ code, stderr: expect.stringContaining(words) });
    expect(ended.stderr).not.toMatch(/^\s+at /m);
  });

  it('as JSON where that is asked for', async () => {
    const { stderr } = await longhaul(['get', 'echo-none', '--json'], place);
    expect(JSON.parse(stderr)).toEqual({ error: { code: 'not-found', message: 'Task not found.' } });
  });
});
