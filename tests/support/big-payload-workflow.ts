import { condition, defineQuery, defineSignal, proxyActivities, setHandler, upsertMemo } from '@temporalio/workflow';

export interface BigActivities {
  makeText(seed: string, characters: number): Promise<string>;
}

const { makeText } = proxyActivities<BigActivities>({ startToCloseTimeout: '1 minute' });

export const bigSignal = defineSignal<[string]>('big');
export const bigQuery = defineQuery<string>('big');

/** Takes a big argument and a big signal, runs an activity with a big result, shows and returns them. */
export async function bigPayloadWorkflow(argument: string): Promise<string> {
  let received = '';
  setHandler(bigSignal, (text) => {
    received = text;
  });
  setHandler(bigQuery, () => argument + received);
  await condition(() => received !== '');
  const made = await makeText('result', 2_000_000);
  upsertMemo({ big: made });
  return argument + received + made;
}
