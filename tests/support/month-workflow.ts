import { sleep, upsertMemo } from '@temporalio/workflow';

const MS_PER_DAY = 86_400_000;

/** Sleeps for thirty days; returns how many have passed. */
export async function monthWorkflow(): Promise<number> {
  const started = Date.now();
  upsertMemo({ status: 'asleep' });
  await sleep('30 days');
  return (Date.now() - started) / MS_PER_DAY;
}
