import type { OpenQuestion } from '../../temporal/tasks/task-workflows.ts';

/** An open question, as `GET /api/pending` lists it. */
export type PendingQuestion = OpenQuestion;

/** What operators do, over the operator listener. */
export interface OperatorClient {
  pending(): Promise<readonly PendingQuestion[]>;
  answer(requestId: string, answer: unknown): Promise<unknown>;
}

export function createOperatorClient({
  operatorUrl,
  fetchImpl,
}: {
  operatorUrl: string;
  fetchImpl: typeof fetch;
}): OperatorClient {
  const base = operatorUrl.replace(/\/+$/, '');
  return {
    async pending() {
      const response = await fetchImpl(`${base}/api/pending`);
      const { questions } = (await response.json()) as { questions: PendingQuestion[] };
      return questions;
    },
    async answer(requestId, answer) {
      const response = await fetchImpl(`${base}/api/a2a/input`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ requestId, answer }),
      });
      return response.json();
    },
  };
}
