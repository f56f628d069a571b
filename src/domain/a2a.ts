/**
 * A2A 1.0 in its ProtoJSON spelling, by hand: only these shapes cross Temporal. The SDK's own types are
 * protobuf-shaped (`content: {$case}`), hold Buffers that Temporal's converter mangles, and stay outside of workflows.
 */
import type { Json, JsonObject } from './json.ts';

/** A2A 1.0 §4.1.3. */
export type TaskState =
  | 'TASK_STATE_SUBMITTED'
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_INPUT_REQUIRED'
  | 'TASK_STATE_AUTH_REQUIRED'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_CANCELED'
  | 'TASK_STATE_REJECTED';

/** A2A 1.0 §4.1.6: exactly one of `text`, `raw` (base64), `url` and `data` is set. */
export interface Part {
  readonly text?: string;
  readonly raw?: string;
  readonly url?: string;
  readonly data?: Json;
  readonly filename?: string;
  readonly mediaType?: string;
  readonly metadata?: JsonObject;
}

/** A2A 1.0 §4.1.4. */
export interface Message {
  readonly messageId: string;
  readonly contextId?: string;
  readonly taskId?: string;
  readonly role: 'ROLE_USER' | 'ROLE_AGENT';
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
  readonly referenceTaskIds?: readonly string[];
}

/** A2A 1.0 §4.1.2; `timestamp` is UTC with milliseconds and `Z` (§5.6.1). */
export interface TaskStatus {
  readonly state: TaskState;
  readonly message?: Message;
  readonly timestamp: string;
}

/** A2A 1.0 §4.1.7. */
export interface Artifact {
  readonly artifactId: string;
  readonly name?: string;
  readonly description?: string;
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
}

/** A2A 1.0 §4.1.1. */
export interface Task {
  readonly id: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  readonly artifacts?: readonly Artifact[];
  readonly history?: readonly Message[];
  readonly metadata?: JsonObject;
}

/** A2A 1.0 §4.2.1. */
export interface TaskStatusUpdateEvent {
  readonly taskId: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  readonly metadata?: JsonObject;
}

/** A2A 1.0 §4.2.2. */
export interface TaskArtifactUpdateEvent {
  readonly taskId: string;
  readonly contextId: string;
  readonly artifact: Artifact;
  readonly append?: boolean;
  readonly lastChunk?: boolean;
  readonly metadata?: JsonObject;
}

/** A2A 1.0 §4.2.3: one frame of a stream. */
export type StreamResponse =
  | { readonly task: Task }
  | { readonly message: Message }
  | { readonly statusUpdate: TaskStatusUpdateEvent }
  | { readonly artifactUpdate: TaskArtifactUpdateEvent };

/** Whether the text of `next` is more of the same part: 60,000 chunks must not become 60,000 parts. */
export function continuesText(part: Part | undefined, next: Part): part is Part & { readonly text: string } {
  if (part?.text === undefined || next.text === undefined || part.mediaType !== next.mediaType) return false;
  const isSame = (key: 'filename' | 'metadata') =>
    next[key] === undefined || JSON.stringify(next[key]) === JSON.stringify(part[key]);
  return isSame('filename') && isSame('metadata');
}

/** Joins a message's text parts with line breaks, as the plain skills receive them. */
export function textOf(message: Pick<Message, 'parts'>): string {
  return message.parts.flatMap((part) => (part.text === undefined ? [] : [part.text])).join('\n');
}

/** A2A 1.0 §4.3.1. */
export interface TaskPushNotificationConfig {
  readonly id: string;
  readonly taskId: string;
  readonly url: string;
  readonly token?: string;
  readonly authentication?: { readonly scheme: string; readonly credentials?: string };
}
