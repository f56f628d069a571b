import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';
import { isTerminal } from '../../src/domain/task-state.ts';
import type { TaskView } from '../../src/domain/task-fold.ts';
import type { LivedTask } from './live-task-script.ts';
import { liveTask, scriptedStages } from './live-task-script.ts';
import type { RandomTaskScript } from './random-task-script.ts';
import { startTaskRig } from './task-rig.ts';

/** Lives of tasks that run at the same time, so that signals meet workflow tasks in flight. */
const SIDE_BY_SIDE = 8;

/**
 * Lives the scripts on a real server; both folds of each must agree, at the end, at every hand-over to a new run and, while
 * the worker keeps the workflow, at every query. (A worker that does not may answer one from a replay that runs a little
 * ahead: of signals that came after the last completed workflow task.) No life begins after `beginMs`: on a busy machine
 * fewer are lived.
 */
export async function expectFoldsToAgree(
  scripts: readonly RandomTaskScript[],
  { isKept, beginMs = Number.POSITIVE_INFINITY }: { isKept: boolean; beginMs?: number },
): Promise<void> {
  const byTask = new Map(scripts.map((script) => [`script-${randomUUID()}`, script]));
  await using rig = await startTaskRig(scriptedStages(byTask), {
    worker: { maxCachedWorkflows: isKept ? 1000 : 0 },
  });
  const waiting = [...byTask];
  const beganAt = Date.now();
  const next = () => (Date.now() - beganAt < beginMs ? waiting.pop() : undefined);
  const lives = Array.from({ length: SIDE_BY_SIDE }, async () => {
    for (let life = next(); life !== undefined; life = next()) {
      const [taskId, script] = life;
      try {
        const lived = await liveTask(rig, taskId, script);
        expectAgreement(lived);
        if (isKept) expectQueriesInHistory(lived);
      } catch (error) {
        throw new Error(`With the script ${JSON.stringify(script)}: ${String(error)}`, { cause: error });
      }
    }
  });
  const failed = (await Promise.allSettled(lives)).find((life) => life.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

function expectAgreement({ answered, history }: LivedTask): void {
  expect(history.view).toEqual(answered.at(-1));
  expect(isTerminal(history.view.task.status.state)).toBe(true);
  expect(history.view.inbox).toEqual([]);
  expect(history.view.questions).toEqual([]);
  for (const { handedOver, folded } of history.resumed) expect(handedOver).toEqual(folded);
}

/** Each answer is the task after some completed workflow task, and none goes back behind an earlier one. */
function expectQueriesInHistory({ answered, history }: LivedTask): void {
  let from = 0;
  for (const view of answered) {
    const found = history.stands.findIndex((stand, index) => index >= from && isDeepStrictEqual(stand, view));
    if (found === -1) expect(view).toEqual(nearest(history.stands.slice(from), view));
    expect(found).not.toBe(-1);
    from = found;
  }
}

/** For the message of a failing test: most of a view's text is what has been taken so far. */
function nearest(stands: readonly TaskView[], view: TaskView): TaskView | undefined {
  const length = JSON.stringify(view).length;
  const distance = (stand: TaskView): number => Math.abs(JSON.stringify(stand).length - length);
  return stands.toSorted((a, b) => distance(a) - distance(b))[0];
}
