import { expect, it } from '@jest/globals';
import { startDeployment } from '../support/deployment.ts';

const CARELESS = `import { setTimeout as delay } from 'node:timers/promises';
export const careless = async () => {
  void Promise.reject(new Error('nobody awaits this'));
  void Promise.reject(Object.create(null, { message: { get() { throw new Error('trap'); } } }));
  setTimeout(() => { throw new Error('thrown from a timer'); }, 1);
  await delay(50);
  return { summary: String(process.pid) };
};
`;

it('a worker outlives what its executors throw where nobody can catch it', async () => {
  await using deployment = await startDeployment({
    publications: `
- { id: careless, name: Careless, description: Forgets, executor: { kind: function, module: ./careless.ts, export: careless }, allowed_callers: [alice] }`,
    files: { 'careless.ts': CARELESS },
  });
  const answers = [];
  for (let count = 0; count < 2; count += 1) {
    const { body } = await deployment.send('Go', { message: { metadata: { skillHint: 'careless' } } });
    answers.push(body.result.task.status);
  }
  expect(answers[0]).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
  // The same process: the summary is its ID.
  expect(answers[1].message).toMatchObject({ parts: answers[0].message.parts });
}, 120_000);
