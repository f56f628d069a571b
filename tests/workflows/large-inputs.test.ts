import { expect, it } from '@jest/globals';
import type { StageOutcome } from '../../src/domain/stage-run.ts';
import { publicationOf, stageOf, startTaskRig } from '../support/task-rig.ts';

it('runs a long list of large elements, whose inputs are too much to be handed over at once', async () => {
  const elements = Array.from({ length: 12 }, (_, index) => `${index}`.padEnd(80_000, 'x'));
  await using rig = await startTaskRig({
    list: async (): Promise<StageOutcome> => ({
      outcome: 'envelope',
      envelope: { summary: 'list', payload: elements, artifacts: [] },
    }),
    each: async ({ item }, _facts, upstream): Promise<StageOutcome> => ({
      outcome: 'envelope',
      envelope: { summary: `${(item as string).length} of ${Object.keys(upstream).join()}`, artifacts: [] },
    }),
    end: async (_run, _facts, { each }): Promise<StageOutcome> => ({
      outcome: 'envelope',
      envelope: { summary: each?.summary ?? '', artifacts: [] },
    }),
  });
  const task = await rig.start(
    publicationOf({
      id: 'large',
      stages: [
        stageOf('list'),
        stageOf('each', { needs: ['list'], forEach: '/list/payload' }),
        stageOf('end', { needs: ['each'] }),
      ],
    }),
  );

  const view = await task.handle.result();
  expect(view.task.status.message?.parts[0]?.text).toBe(elements.map(() => '80000 of list').join('\n'));
});
