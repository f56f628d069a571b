import { expect, it } from '@jest/globals';
import type { StageProgress, TaskProgress } from '../../../src/cli/view/task-progress.ts';
import { foldStream, newTaskProgress } from '../../../src/cli/view/task-progress.ts';
import type { StreamResponse, TaskState } from '../../../src/domain/a2a.ts';
import type { JsonObject } from '../../../src/domain/json.ts';

function status(state: TaskState, metadata?: JsonObject, text?: string): StreamResponse {
  return {
    statusUpdate: {
      taskId: 't',
      contextId: 'c',
      status: {
        state,
        timestamp: '2026-01-01T00:00:00.000Z',
        ...(text !== undefined && { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text }] } }),
      },
      ...(metadata !== undefined && { metadata }),
    },
  };
}

const fold = (...events: readonly StreamResponse[]): TaskProgress => events.reduce(foldStream, newTaskProgress('t'));
const working = (metadata: JsonObject, text?: string) => status('TASK_STATE_WORKING', metadata, text);
const stage = (progress: TaskProgress, id: string): StageProgress | undefined =>
  progress.stages.find((each) => each.id === id);

it('lists stages as they begin, each with its newest word', () => {
  const progress = fold(
    working({ stage: 'plan', stageState: 'started' }),
    working({ stage: 'plan', percent: 40 }, 'Reading'),
    working({ stage: 'plan', stageState: 'completed' }),
    working({ stage: 'write', stageState: 'started' }),
  );
  expect(progress.stages).toMatchObject([
    { id: 'plan', isDone: true, percent: 40, text: 'Reading' },
    { id: 'write', isDone: false },
  ]);
});

it('counts the elements of a stage', () => {
  const progress = fold(
    working({ stage: 'gather', stageState: 'started', of: 3 }),
    working({ stage: 'gather', element: 1, percent: 5 }, 'Searching'),
    working({ stage: 'gather', element: 0, stageState: 'element-completed', done: 1, of: 3 }),
  );
  expect(stage(progress, 'gather')).toMatchObject({
    elementCount: 3,
    elementsDone: 1,
    elements: { 0: { isDone: true }, 1: { isDone: false, percent: 5, text: 'Searching' } },
  });
});

it('keeps a question until it is answered, and does not take it for a word of another stage', () => {
  const asking = status(
    'TASK_STATE_INPUT_REQUIRED',
    { stage: 'clarify', stageState: 'asking', asks: 'caller' },
    'Which years?',
  );
  const progress = fold(
    asking,
    status('TASK_STATE_INPUT_REQUIRED', { stage: 'other', stageState: 'started' }, 'Which years?'),
  );
  expect(progress.question).toEqual({ text: 'Which years?' });
  expect(stage(progress, 'clarify')).toMatchObject({ asks: 'caller' });
  expect(stage(progress, 'other')).not.toHaveProperty('text');

  const answered = foldStream(progress, working({ stage: 'clarify', stageState: 'answered' }));
  expect(answered).not.toHaveProperty('question');
  expect(stage(answered, 'clarify')).not.toHaveProperty('asks');
});

it('says why a task has failed', () => {
  expect(fold(status('TASK_STATE_FAILED', undefined, 'Stage plan failed'))).toMatchObject({
    state: 'TASK_STATE_FAILED',
    text: 'Stage plan failed',
  });
});
