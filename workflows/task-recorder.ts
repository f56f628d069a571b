import { setCurrentDetails, upsertMemo, upsertSearchAttributes } from '@temporalio/workflow';
import type { TaskStatus } from '../src/domain/a2a.ts';
import type { JsonObject } from '../src/domain/json.ts';
import type { Question } from '../src/domain/question.ts';
import { foldTask, newTaskView, type TaskView } from '../src/domain/task-fold.ts';
import type { LogEntry, LogRecord } from '../src/domain/task-log.ts';
import { briefStatus, cut, type StatusPlace } from '../src/domain/task-status.ts';
import { MEMO_QUESTIONS_MAX, MEMO_TEXT_MAX, type TaskInput, type TaskMemo } from './task-contract.ts';

/**
 * The task as it is, and the only writer of its log. Signal handlers `fold`; the main line `record`s, and `flush`es what it
 * recorded as one memo upsert. Only so do the workflow's fold and that of its history agree.
 */
export class TaskRecorder {
  view: TaskView;
  private pending: LogRecord[] = [];
  private written: { state: string; questions: readonly Question[] };

  private readonly onWritten: () => void;

  constructor(input: TaskInput, { onWritten }: { onWritten: () => void }) {
    this.onWritten = onWritten;
    this.view =
      input.resume?.view ??
      newTaskView({ taskId: input.taskId, contextId: input.contextId, message: input.message, at: input.submittedAt });
    // The starter, or the run before, has written these.
    this.written = { state: this.view.task.status.state, questions: this.view.questions };
  }

  fold(entry: LogEntry): void {
    this.view = foldTask(this.view, entry).view;
  }

  record(record: LogRecord): void {
    this.fold({ entry: 'record', record });
    this.pending.push(record);
  }

  recordStatus(status: TaskStatus, metadata?: JsonObject): void {
    this.record({ type: 'status', status, ...(metadata !== undefined && { metadata }) });
  }

  /** Where and when a status belongs. Workflow time: the same on replay. */
  place(): StatusPlace {
    return { taskId: this.view.task.id, contextId: this.view.task.contextId, at: new Date().toISOString() };
  }

  flush(details: string): void {
    setCurrentDetails(details);
    if (this.pending.length === 0) return;
    upsertMemo({ ...this.memo(), log: this.pending } satisfies Omit<TaskMemo, 'start'>);
    this.pending = [];
    this.onWritten();

    const { state } = this.view.task.status;
    const { questions } = this.view;
    if (state !== this.written.state || questions.length !== this.written.questions.length) {
      upsertSearchAttributes({
        A2aState: [state],
        A2aUpdated: [new Date(this.view.task.status.timestamp)],
        A2aOpenQuestions: [questions.length],
      });
      this.written = { state, questions };
    }
  }

  /** What lists and describe show; carried over continue-as-new, where the server drops the memo otherwise. */
  memo(): Omit<TaskMemo, 'start' | 'log'> {
    return {
      status: briefStatus(this.view.task.status),
      questions: this.view.questions
        .slice(0, MEMO_QUESTIONS_MAX)
        .map((question) => ({ ...question, message: cut(question.message, MEMO_TEXT_MAX) })),
    };
  }
}
