/** Gateway and worker killed at the same moment: in a stage, in a wait for an answer, and right after one was accepted. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { Task } from '../../src/domain/a2a.ts';
import { sharedDeployment } from '../support/deployment.ts';
import { eventually } from '../support/eventually.ts';

const deployment = sharedDeployment({
  files: { 'stepping.ts': readFileSync(join(import.meta.dirname, '../fixtures/stepping-executor.ts'), 'utf8') },
  publications: `- id: stepping
  name: Stepping
  description: Does a costly step and waits.
  executor: { kind: function, module: ./stepping.ts, export: stepping }
  allowed_callers: [alice]`,
});

it('what ran goes on without repeating its step, what waited still waits, and an accepted answer counts once', async () => {
  const start = async (text: string, fields = {}): Promise<string> => {
    const configuration = { returnImmediately: true };
    const { body } = await deployment().send(text, { configuration, message: fields });
    return body.result.task.id as string;
  };
  const steps = async (): Promise<string> => readFile(join(deployment().folder, 'steps.log'), 'utf8');
  const running = await start('go', { metadata: { skillHint: 'stepping' } });
  const waiting = await start('ask');
  const answered = await start('ask-twice');
  const asked = await deployment().reaches(waiting, 'TASK_STATE_INPUT_REQUIRED');
  await deployment().reaches(answered, 'TASK_STATE_INPUT_REQUIRED');
  await eventually(async () => (await steps()).includes('kept'));

  const blue = { message: { taskId: answered, messageId: 'r1' }, configuration: { returnImmediately: true } };
  expect((await deployment().send('blue', blue)).body.result.task.id).toBe(answered);
  await deployment().kill('gateway0', 'worker0');
  await deployment().restart('gateway0', 'worker0');

  // In the middle of a stage.
  expect((await deployment().task(running)).status.state).toBe('TASK_STATE_WORKING');
  await eventually(async () => (await steps()).split('kept').length > 2);
  await deployment().open('finish');
  const done = await deployment().reaches(running, 'TASK_STATE_COMPLETED');
  expect(textOf(done)).toBe('done in attempt 1, returned in attempt 2');
  expect((await steps()).match(/done/g)).toHaveLength(1);

  // In a wait.
  expect(await deployment().task(waiting)).toEqual(asked);
  const { body } = await deployment().send('green', { message: { taskId: waiting } });
  expect(textOf(body.result.task as Task)).toBe('green');
  expect(await deployment().calls({ event: 'heard', text: 'green' })).toHaveLength(1);

  // After an answer: sent again by a client that saw no reply, it is no answer to the next question.
  const next = (task: Task): boolean => task.status.message?.parts[0]?.text === 'What size, in blue?';
  await eventually(async () => next(await deployment().task(answered)));
  const again = await deployment().send('blue', { message: { taskId: answered, messageId: 'r1' } });
  expect(next(again.body.result.task as Task)).toBe(true);
  const end = await deployment().send('large', { message: { taskId: answered } });
  expect(textOf(end.body.result.task as Task)).toBe('blue large');
  const said = (end.body.result.task as Task).history?.filter(({ messageId }) => messageId === 'r1');
  expect(said).toHaveLength(1);
});

function textOf({ artifacts = [] }: Task): string | undefined {
  return artifacts[0]?.parts[0]?.text;
}
