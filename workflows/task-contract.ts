/** How the task workflow is started, signalled and asked: all that its clients know of it. */
import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { Message, TaskStatus } from '../src/domain/a2a.ts';
import type { PipelineRun } from '../src/domain/pipeline-run.ts';
import type { Publication } from '../src/domain/pipeline.ts';
import type { Question } from '../src/domain/question.ts';
import type { TaskView } from '../src/domain/task-fold.ts';
import type { LogRecord, MessageSignal, ProgressSignal } from '../src/domain/task-log.ts';

export const TASK_WORKFLOW_TYPE = 'taskWorkflow';

export const messageSignal = defineSignal<[MessageSignal]>('message');
export const progressSignal = defineSignal<[ProgressSignal]>('progress');
/** Of the workflow that delivers push notifications: tell it, once, when something happens next. */
export const watchSignal = defineSignal('watch');
export const getTaskQuery = defineQuery<TaskView>('getTask');

export interface TaskInput {
  readonly taskId: string;
  readonly contextId: string;
  readonly caller: string;
  /** Absent: in no tenant. */
  readonly tenant?: string;
  readonly publication: Publication;
  readonly message: Message;
  /** ISO 8601, UTC: when the gateway took the message. */
  readonly submittedAt: string;
  readonly limits: TaskLimits;
  /** Set by continue-as-new: the task as the run before left it. */
  readonly resume?: TaskResume;
}

export interface TaskLimits {
  /** A worker that does not heartbeat for so long is given up. */
  readonly heartbeatTimeoutMs: number;
  /** How long a cancel waits for the running stages to stop. */
  readonly cancelGraceMs: number;
  /** Continue as new at this length of history at the latest; when Temporal suggests it otherwise. */
  readonly historyEventsMax: number;
  /** How long starts are held for a stage that is still open then: one that takes longer must not hold up its siblings. */
  readonly historyHoldMs: number;
}

export interface TaskResume {
  readonly view: TaskView;
  /** Somebody has asked to be told what happens next. */
  readonly isWatched?: boolean;
  readonly run: PipelineRun;
}

/** Questions in the memo, and the characters of their text: it must stay small, since every list carries it. */
export const MEMO_QUESTIONS_MAX = 20;
export const MEMO_TEXT_MAX = 500;

/** The workflow's memo. `start` is written by whoever starts it, the rest by the workflow, newest value only. */
export interface TaskMemo {
  readonly start: TaskStartMemo;
  /** Cut to 2 KB, so that it stays inline; lists and describe show it with no worker. */
  readonly status: TaskStatus;
  readonly questions?: readonly Question[];
  /** The entries that this upsert adds to the task's log. */
  readonly log?: readonly LogRecord[];
}

export interface TaskStartMemo {
  readonly caller: string;
  /** Absent: in no tenant. */
  readonly tenant?: string;
  readonly publication: string;
  readonly contextId: string;
  readonly messageId: string;
  /** Hex SHA-256 of the canonical message without messageId and configuration. */
  readonly contentHash: string;
}

/** Search attributes, set up by `longhaul setup`. They are for listing, never for a decision that must be right. */
export const SEARCH_ATTRIBUTES = {
  caller: 'A2aCaller',
  publication: 'A2aPublication',
  context: 'A2aContext',
  state: 'A2aState',
  updated: 'A2aUpdated',
  openQuestions: 'A2aOpenQuestions',
} as const;
