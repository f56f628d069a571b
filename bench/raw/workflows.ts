/** What a user of Temporal would write for the same work, without any product. */
import { condition, defineQuery, defineSignal, proxyActivities, setHandler, upsertMemo } from '@temporalio/workflow';

const { echo } = proxyActivities<{ echo: (text: string) => Promise<string> }>({ startToCloseTimeout: '1 minute' });

export async function oneActivity(text: string): Promise<string> {
  return echo(text);
}

export const answerSignal = defineSignal<[string]>('answer');
export const progressSignal = defineSignal<[number]>('progress');
export const stateQuery = defineQuery<string>('state');

/** Waits for an answer, and writes down that it came. */
export async function waitsForAnswer(): Promise<string> {
  let answer: string | undefined;
  setHandler(stateQuery, () => (answer === undefined ? 'waiting' : 'answered'));
  setHandler(progressSignal, () => undefined);
  setHandler(answerSignal, (text) => {
    answer = text;
  });
  await condition(() => answer !== undefined);
  upsertMemo({ answer });
  return answer ?? '';
}
