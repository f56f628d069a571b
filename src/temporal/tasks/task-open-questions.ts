import type { temporal as proto } from '@temporalio/proto';
import type { Question } from '../../domain/question.ts';
import type { TaskMemo, TaskStartMemo } from '../../../workflows/task-contract.ts';
import {
  MEMO_QUESTIONS_MAX,
  MEMO_TEXT_MAX,
  SEARCH_ATTRIBUTES,
  TASK_WORKFLOW_TYPE,
} from '../../../workflows/task-contract.ts';
import type { HistoryTails } from '../history/history-tails.ts';
import type { StartMemos } from './task-start-memo.ts';
import type { TaskTemporal } from './task-temporal.ts';
import { callTemporal, namespaceOf } from './task-temporal.ts';
import type { OpenQuestion, TaskWorkflows } from './task-workflows.ts';

const QUERY = `WorkflowType = '${TASK_WORKFLOW_TYPE}' AND ExecutionStatus = 'Running' AND ${SEARCH_ATTRIBUTES.openQuestions} > 0`;
const PAGE_SIZE = 500;
/** Of tasks. An operator looks at what is there first; what is behind this comes up as others are answered. */
const TASKS_MAX = 5_000;

type ListedWorkflow = proto.api.workflow.v1.IWorkflowExecutionInfo;

interface Dependencies {
  readonly temporal: TaskTemporal;
  readonly startMemos: StartMemos;
  readonly tails: HistoryTails;
  readonly read: TaskWorkflows['read'];
}

export function createListOpenQuestions({
  temporal,
  startMemos,
  tails,
  read,
}: Dependencies): TaskWorkflows['listOpenQuestions'] {
  return async function listOpenQuestions() {
    const byTask = new Map<string, readonly OpenQuestion[]>();
    for await (const listed of listAsking(temporal)) {
      const memo = (await temporal.payloads.decodeFields(
        pick(listed.memo?.fields, ['start', 'questions']),
      )) as Partial<TaskMemo>;
      const taskId = listed.execution?.workflowId;
      if (!taskId || !memo.start) continue;
      const listedQuestions = memo.questions ?? [];
      const questions = isCut(listedQuestions) ? await readQuestions(taskId, listedQuestions) : listedQuestions;
      byTask.set(taskId, toOpenQuestions(taskId, memo.start, questions));
    }
    // Lists lag behind; what is followed in this process is known to the event.
    for (const { view } of tails.told()) {
      const start = await startMemos.get(view.task.id);
      if (start) byTask.set(view.task.id, toOpenQuestions(view.task.id, start, view.questions));
    }
    return [...byTask.values()].flat().sort((a, b) => a.askedAt.localeCompare(b.askedAt));
  };

  async function readQuestions(taskId: string, otherwise: readonly Question[]): Promise<readonly Question[]> {
    try {
      return (await read(taskId)).questions;
    } catch {
      return otherwise; // it has ended since, or is out of reach: what the list tells is better than no list
    }
  }
}

/** The memo has room for so much; who decides by what a list shows must see all of it. */
function isCut(questions: readonly Question[]): boolean {
  return questions.length >= MEMO_QUESTIONS_MAX || questions.some(({ message }) => message.length > MEMO_TEXT_MAX);
}

async function* listAsking(temporal: TaskTemporal): AsyncGenerator<ListedWorkflow> {
  let nextPageToken: Uint8Array | undefined;
  let count = 0;
  do {
    const page = await callTemporal(temporal, () =>
      temporal.temporalClient.workflowService.listWorkflowExecutions({
        namespace: namespaceOf(temporal),
        query: QUERY,
        pageSize: PAGE_SIZE,
        ...(nextPageToken && { nextPageToken }),
      }),
    );
    yield* page.executions;
    count += page.executions.length;
    nextPageToken = page.nextPageToken.length > 0 ? page.nextPageToken : undefined;
  } while (nextPageToken !== undefined && count < TASKS_MAX);
}

function toOpenQuestions(
  taskId: string,
  start: TaskStartMemo,
  questions: readonly Question[],
): readonly OpenQuestion[] {
  const { contextId, caller, publication } = start;
  return questions.map(({ requestId, stageId, element, kind, message, callerAnswerable, askedAt }) => ({
    taskId,
    contextId,
    caller,
    publication,
    requestId,
    stageId,
    ...(element !== undefined && { element }),
    kind,
    message,
    callerAnswerable,
    askedAt,
  }));
}

function pick<T>(record: Readonly<Record<string, T>> | null | undefined, names: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(record ?? {}).filter(([name]) => names.includes(name)));
}
