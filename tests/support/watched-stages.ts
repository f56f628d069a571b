/** A deployment with the stages of tests/fixtures/watched-executor.ts, and Temporal's own client, as its UI and CLI are. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client, WorkflowHandle } from '@temporalio/client';
import type { temporal as proto } from '@temporalio/proto';
import type { Deployment, DeploymentOptions } from './deployment.ts';
import { testServer } from './environment.ts';

export const WATCHED: DeploymentOptions = {
  files: {
    'watched.ts': readFileSync(join(import.meta.dirname, '../fixtures/watched-executor.ts'), 'utf8'),
    'stages.log': '',
  },
  publications: `- id: watched
  name: Watched
  description: Writes down what it sees.
  executor: { kind: function, module: ./watched.ts, export: watched }
  gates: [free_text]
  retries: 50
  allowed_callers: [alice]`,
};

/** Starts a task of the watched stages, and returns its ID. */
export async function startWatched(deployment: Deployment, text: string): Promise<string> {
  const { body } = await deployment.send(text, {
    configuration: { returnImmediately: true },
    message: { metadata: { skillHint: 'watched' } },
  });
  return body.result.task.id as string;
}

/** How often a line stands in the stages' log. */
export async function seen(deployment: Deployment, line: string): Promise<number> {
  const lines = (await readFile(join(deployment.folder, 'stages.log'), 'utf8')).split('\n');
  return lines.filter((each) => each === line).length;
}

export interface OperatorOfTemporal {
  readonly client: Client;
  task(taskId: string): WorkflowHandle;
  /** Resets to before the workflow task in which `isPoint` finds the first event that follows it; gives the new run's ID. */
  reset(taskId: string, isPoint: (event: HistoryEvent) => boolean, runId?: string): Promise<string>;
  statusOf(taskId: string): Promise<string>;
}

export type HistoryEvent = proto.api.history.v1.IHistoryEvent;

export async function operatorOfTemporal(): Promise<OperatorOfTemporal> {
  const { namespace, client: connect } = testServer();
  const client = await connect();
  return {
    client,
    task: (taskId) => client.workflow.getHandle(taskId),
    async reset(taskId, isPoint, runId) {
      const { events = [] } = await client.workflow.getHandle(taskId, runId).fetchHistory();
      const all = events ?? [];
      const place = all.findIndex(isPoint);
      const finish = all
        .slice(0, place + 1)
        .findLast((event) => event.workflowTaskCompletedEventAttributes ?? event.workflowTaskFailedEventAttributes);
      if (!finish?.eventId) throw new Error('There is no such point');
      const answer = await client.workflowService.resetWorkflowExecution({
        namespace,
        workflowExecution: { workflowId: taskId, ...(runId !== undefined && { runId }) },
        workflowTaskFinishEventId: finish.eventId,
        reason: 'test',
        requestId: randomUUID(),
      });
      return answer.runId;
    },
    async statusOf(taskId) {
      return (await client.workflow.getHandle(taskId).describe()).status.name;
    },
  };
}
