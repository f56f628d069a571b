/**
 * What a task's history holds, in the order in which it holds it. The workflow and the gateway fold the same entries
 * with `foldTask`, the one to answer queries, the other to stream; so each entry must reach both, unchanged.
 *
 * Workflow → history: a memo upsert with `log: LogRecord[]`.
 * Activity → history: a `progress` signal. Gateway → history: a `message` signal.
 */
import type { Artifact, Message, TaskStatus } from './a2a.ts';
import type { JsonObject } from './json.ts';
import type { Answer, Question } from './question.ts';

/** Which try of which part of a stage something comes from. A later try replaces an earlier one. */
export interface StageRunRef {
  readonly stageId: string;
  /** Set for an element of a `for_each` stage. */
  readonly element?: number;
  /** Counts how often the stage was entered: 0, then one more for each answer or follow-up. */
  readonly turn: number;
  /** Temporal's attempt of the activity, from 1. */
  readonly attempt: number;
  /**
   * When Temporal scheduled this attempt: Unix time by its clock. After a reset by an operator, of the task or of the activity,
   * turns and attempts count from the beginning again, and only this tells which try is the newer one.
   */
  readonly scheduledMs?: number;
}

/** One thing that an executor shows while it runs. */
export type ProgressItem =
  | { readonly text?: string; readonly percent?: number; readonly step?: string; readonly at: string }
  | { readonly artifact: Artifact; readonly append: boolean; readonly lastChunk: boolean };

/** A batch of progress: `seq` counts the batches of one run from 1, so that one delivered twice is taken once. */
export interface ProgressSignal extends StageRunRef {
  readonly seq: number;
  readonly items: readonly ProgressItem[];
}

/** Something a human or a client sent to a task that exists. `id` makes it count once. */
export type MessageSignal = {
  readonly id: string;
  /** Hex SHA-256 of the canonical content: the same ID with other content is a conflict. */
  readonly contentHash: string;
  readonly by: 'caller' | 'operator';
  /** ISO 8601, UTC, by the clock of the gateway that took it. */
  readonly at: string;
} & (
  | { readonly message: Message } // an answer in plain text, or a follow-up
  | { readonly requestId: string; readonly answer: Answer }
);

/** What became of a message signal. */
export interface Receipt {
  readonly id: string;
  readonly contentHash: string;
  readonly outcome: 'answered' | 'queued' | 'refused';
  readonly requestId?: string;
  readonly reason?: RefusalReason;
  /** For `several-questions`: the open questions that the caller may answer. */
  readonly requestIds?: readonly string[];
}

export type RefusalReason =
  | 'not-waiting' // no question is open and no stage takes follow-ups
  | 'several-questions' // which one does it answer?
  | 'stale-question' // answered, or never asked
  | 'not-answerable' // an operator's question, answered by the caller
  | 'wrong-answer-kind'
  | 'ending'; // the task is being cancelled, or has ended

/** What the workflow itself writes to the log. */
export type LogRecord =
  | { readonly type: 'status'; readonly status: TaskStatus; readonly metadata?: JsonObject }
  | { readonly type: 'artifact'; readonly artifact: Artifact; readonly metadata?: JsonObject }
  | { readonly type: 'asked'; readonly question: Question }
  /** The question is gone: answered, or its stage ended without it. */
  | { readonly type: 'settled'; readonly requestId: string }
  | { readonly type: 'receipt'; readonly receipt: Receipt }
  /** Nothing that this stage (or element) still sends counts. */
  | { readonly type: 'run-closed'; readonly stageId: string; readonly element?: number }
  /** The task is answered with this Message instead of a Task. */
  | { readonly type: 'reply'; readonly message: Message };

/** How a run of the workflow ended, where the log itself may not say it. */
export type CloseKind = 'completed' | 'failed' | 'canceled' | 'terminated' | 'timed-out';

export type LogEntry =
  | { readonly entry: 'progress'; readonly signal: ProgressSignal }
  | { readonly entry: 'message'; readonly signal: MessageSignal }
  | { readonly entry: 'record'; readonly record: LogRecord }
  | { readonly entry: 'closed'; readonly kind: CloseKind; readonly at: string };

/** Anybody may signal a workflow from Temporal's UI: what is no message counts for nothing, here and in the gateway. */
export function isMessageSignal(value: unknown): value is MessageSignal {
  if (!isRecord(value) || typeof value['id'] !== 'string' || typeof value['contentHash'] !== 'string') return false;
  if (value['by'] !== 'caller' && value['by'] !== 'operator') return false;
  const { message, answer } = value;
  if (message !== undefined) {
    return (
      isRecord(message) &&
      typeof message['messageId'] === 'string' &&
      (message['role'] === 'ROLE_USER' || message['role'] === 'ROLE_AGENT') &&
      isParts(message['parts'])
    );
  }
  if (!isRecord(answer) || typeof value['requestId'] !== 'string') return false;
  if (answer['kind'] === 'free_text') return typeof answer['text'] === 'string';
  const isDecision = answer['decision'] === 'accept' || answer['decision'] === 'reject';
  return answer['kind'] === 'confirm' && isDecision && isOptional(answer['text'], 'string');
}

export function isProgressSignal(value: unknown): value is ProgressSignal {
  return (
    isRecord(value) &&
    typeof value['stageId'] === 'string' &&
    isOptional(value['element'], 'number') &&
    typeof value['turn'] === 'number' &&
    typeof value['attempt'] === 'number' &&
    isOptional(value['scheduledMs'], 'number') &&
    typeof value['seq'] === 'number' &&
    isRecords(value['items']) &&
    value['items'].every(isProgressItem)
  );
}

function isProgressItem(item: Readonly<Record<string, unknown>>): boolean {
  const { artifact } = item;
  if (artifact === undefined) {
    const { text, percent, step, at } = item;
    return isOptional(text, 'string') && isOptional(percent, 'number') && isOptional(step, 'string') && isTimestamp(at);
  }
  if (typeof item['append'] !== 'boolean' || typeof item['lastChunk'] !== 'boolean') return false;
  return isRecord(artifact) && typeof artifact['artifactId'] === 'string' && isParts(artifact['parts']);
}

function isParts(value: unknown): boolean {
  return isRecords(value) && value.every(({ text }) => isOptional(text, 'string'));
}

function isOptional(value: unknown, type: 'string' | 'number'): boolean {
  return value === undefined || typeof value === type;
}

/** Status times are compared as text, and one that is none would stand as the newest for ever. */
function isTimestamp(value: unknown): boolean {
  const isShaped = typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);
  return isShaped && !Number.isNaN(Date.parse(value));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isRecords(value: unknown): value is readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) && value.every(isRecord);
}
