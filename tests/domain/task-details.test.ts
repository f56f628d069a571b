import { expect, it } from '@jest/globals';
import { askingGate, closeStage, emptyRun, openStage, withElement } from '../../src/domain/pipeline-run.ts';
import type { Stage } from '../../src/domain/pipeline.ts';
import { taskDetails } from '../../src/domain/task-details.ts';
import { foldTask, newTaskView } from '../../src/domain/task-fold.ts';
import { statusWithText } from '../../src/domain/task-status.ts';
import { stageOf } from '../support/task-rig.ts';

const plan = stageOf('plan');
const gather = stageOf('gather', { needs: ['plan'], forEach: '/plan/payload' });
const review: Stage = stageOf('review', { gate: { kind: 'confirm', message: 'Publish?' } });
const report = stageOf('report', { needs: ['gather', 'review'] });
const envelope = { summary: 'Two\nquestions', payload: ['a', 'b'], artifacts: [] };

const start = { taskId: 't', contextId: 'c', at: '2026-01-01T00:00:00.000Z' };
const submitted = newTaskView({ ...start, message: { messageId: 'm', role: 'ROLE_USER', parts: [] } });

it('says of each stage where it stands, and what is asked of whom', () => {
  let run = withElement(openStage(emptyRun, plan), { stageId: 'plan' }, { phase: 'done', envelope });
  run = openStage(closeStage(run, plan), gather);
  run = withElement(run, { stageId: 'gather', element: 1 }, { phase: 'done', envelope });
  run = askingGate(run, review);
  const { view } = foldTask(submitted, {
    entry: 'record',
    record: {
      type: 'asked',
      question: {
        requestId: 'dA.1',
        stageId: 'review',
        element: 2,
        askId: 'gate',
        kind: 'confirm',
        message: 'Publish *all*, ![x](http://a/b)?',
        callerAnswerable: false,
        shown: false,
        askedAt: start.at,
      },
    },
  });

  expect(taskDetails(view, { id: 'p', stages: [plan, gather, review, report] }, run))
    .toBe(`**SUBMITTED** since 2026-01-01T00:00:00.000Z

### Stages
- **plan** done: Two questions
- **gather** 1 of 2 done
- **review** asks before it runs
- **report** waits

### Open questions
- **review 3** asks an operator (confirm): Publish \\*all\\*, \\!\\[x\\](http://a/b)?
  - \`dA.1\``);
});

it('says of a task that has ended why, and what of it was not done', () => {
  let run = withElement(openStage(emptyRun, plan), { stageId: 'plan' }, { phase: 'done', envelope });
  run = askingGate(openStage(closeStage(run, plan), gather), review);
  const status = statusWithText(start, 'TASK_STATE_FAILED', 'Stage gather failed');
  const { view } = foldTask(submitted, { entry: 'record', record: { type: 'status', status } });

  expect(taskDetails(view, { id: 'p', stages: [plan, gather, review, report] }, run))
    .toBe(`**FAILED** since 2026-01-01T00:00:00.000Z: Stage gather failed

### Stages
- **plan** done: Two questions
- **gather** 0 of 2 done
- **review** not begun
- **report** not begun`);
});
