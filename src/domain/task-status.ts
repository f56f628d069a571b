/** The statuses that a task shows, and why. */
import type { Message, TaskState, TaskStatus } from './a2a.ts';
import type { JsonObject } from './json.ts';
import type { PipelineRun } from './pipeline-run.ts';
import type { Question } from './question.ts';
import type { TaskView } from './task-fold.ts';

export interface StatusPlace {
  readonly taskId: string;
  readonly contextId: string;
  readonly at: string;
}

export function statusWithText(place: StatusPlace, state: TaskState, text?: string, metadata?: JsonObject): TaskStatus {
  if (text === undefined) return { state, timestamp: place.at };
  const message: Message = {
    // Stable: one state of a task has one message, however often it is read.
    messageId: `${state.toLowerCase().replace('task_state_', '')}-${place.taskId}-${place.at}`,
    taskId: place.taskId,
    contextId: place.contextId,
    role: 'ROLE_AGENT',
    parts: [{ text, mediaType: 'text/plain' }],
    ...(metadata !== undefined && { metadata }),
  };
  return { state, message, timestamp: place.at };
}

/** The status of a task that has not ended: a question, or a demand for authorisation, stays in sight while others work. */
export function openStatus(place: StatusPlace, { questions, task }: TaskView, run: PipelineRun): TaskStatus {
  const shown = questions.filter((question) => question.shown);
  if (shown.length > 0) return questionStatus(place, shown);
  const authorizing = Object.values(run.stages)
    .flatMap(({ elements }) => elements)
    .find(({ phase }) => phase === 'authorizing');
  if (authorizing === undefined) {
    return statusWithText(place, 'TASK_STATE_WORKING', questions.length > 0 ? 'Waiting for an operator' : undefined);
  }
  const isSaid =
    task.status.state === 'TASK_STATE_AUTH_REQUIRED' &&
    task.status.message?.parts[0]?.text === authorizing.authorization;
  return isSaid ? task.status : statusWithText(place, 'TASK_STATE_AUTH_REQUIRED', authorizing.authorization);
}

/** INPUT_REQUIRED with every question that shows: as text for people, as data for programs. */
export function questionStatus(place: StatusPlace, questions: readonly Question[]): TaskStatus {
  const [first] = questions;
  const handles = questions.map(({ requestId, message, kind }) => ({ handle: requestId, message, kind }));
  return {
    state: 'TASK_STATE_INPUT_REQUIRED',
    timestamp: place.at,
    message: {
      messageId: questionMessageId(questions),
      taskId: place.taskId,
      contextId: place.contextId,
      role: 'ROLE_AGENT',
      parts: [
        { text: questions.map(({ message }) => message).join('\n'), mediaType: 'text/plain' },
        { data: { questions: handles }, mediaType: 'application/json' },
      ],
      ...(first !== undefined &&
        questions.length === 1 && { metadata: { requestId: first.requestId, kind: 'input-request' } }),
    },
  };
}

/** Names the newest question and how many are open: between two new ones their number only falls, so each set has its own. */
function questionMessageId(questions: readonly Question[]): string {
  const newest = questions.at(-1)?.requestId.split('.')[1] ?? '';
  return questions.length === 1 ? `question-${newest}` : `question-${newest}-of-${questions.length}`;
}

const BRIEF_BYTES_MAX = 2048;
const BRIEF_TEXT_MAX = 500;

/** Cut to what stays inline in a memo (2 KB): a list shows it with no worker. */
export function briefStatus(status: TaskStatus): TaskStatus {
  if (status.message === undefined || jsonBytes(status) <= BRIEF_BYTES_MAX) return status;
  const text = status.message.parts[0]?.text ?? '';
  const { messageId, role } = status.message;
  const cutTo = (max: number): TaskStatus => ({
    ...status,
    message: { messageId, role, parts: [{ text: cut(text, max) }] },
  });
  let max = BRIEF_TEXT_MAX;
  while (max > 0 && jsonBytes(cutTo(max)) > BRIEF_BYTES_MAX) max = Math.floor(max / 2);
  return cutTo(max);
}

/** Length of its JSON in UTF-8: escapes and other scripts count for what they take. */
function jsonBytes(value: unknown): number {
  let bytes = 0;
  for (const character of JSON.stringify(value)) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** At most `max` code points, with an ellipsis where something is missing. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const start = Array.from(text.slice(0, max * 2 + 2));
  return start.length <= max ? text : `${start.slice(0, max).join('')}…`;
}
