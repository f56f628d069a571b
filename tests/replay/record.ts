/** Not a test: `npm run record:histories` writes the histories that `replay.test.ts` replays. Record only new kinds anew. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { testServer } from '../support/environment.ts';
import { startTaskRig } from '../support/task-rig.ts';
import { SCENARIOS } from './scenarios.ts';

/** The default names the process and the machine. */
const identity = 'recorder';
/** Of a task that is continued as new, so many runs say enough. */
const RUNS_MAX = 2;

const missing = Object.entries(SCENARIOS).filter(([name]) => !existsSync(fileOf(name)));

it.each(missing)('records %s', async (name, scenario) => {
  const client = new Client({
    connection: await testServer().connection(),
    namespace: testServer().namespace,
    identity,
  });
  await using rig = await startTaskRig(scenario.stages, { client, worker: { identity } });
  const task = await rig.start(scenario.publication, {
    taskId: `recorded-${name}`,
    ...(scenario.limits && { limits: scenario.limits }),
  });
  const firstRunId = (await task.handle.describe()).raw.workflowExecutionInfo?.firstRunId ?? undefined;
  await scenario.live?.(task);
  await task.handle.result().catch(() => undefined);

  let runId: string | undefined = firstRunId;
  for (let run = 1; runId !== undefined && run <= RUNS_MAX; run += 1) {
    const history = await client.workflow.getHandle(task.taskId, runId).fetchHistory();
    await writeFile(fileOf(run === 1 ? name : `${name}-${run}`), withoutPlaces(historyToJSON(history)));
    runId = history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }
  expect(existsSync(fileOf(name))).toBe(true);
});

function fileOf(name: string): string {
  return join(import.meta.dirname, 'histories', `${name}.json`);
}

/** Stack traces name folders of the machine that recorded. */
function withoutPlaces(json: string): string {
  const clean: unknown = JSON.parse(json, (key, value: unknown) => (key === 'stackTrace' ? '' : value));
  return `${JSON.stringify(clean, undefined, 1)}\n`;
}
