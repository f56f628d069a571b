/** Words and colours that every view of a task uses alike. */
import type { Artifact, Part, TaskState } from '../../domain/a2a.ts';
import type { Colors } from '../output.ts';

const STATE_WORDS: Readonly<Record<TaskState, string>> = {
  TASK_STATE_SUBMITTED: 'submitted',
  TASK_STATE_WORKING: 'working',
  TASK_STATE_INPUT_REQUIRED: 'waiting for an answer',
  TASK_STATE_AUTH_REQUIRED: 'waiting for authorization',
  TASK_STATE_COMPLETED: 'completed',
  TASK_STATE_FAILED: 'failed',
  TASK_STATE_CANCELED: 'canceled',
  TASK_STATE_REJECTED: 'rejected',
};

const STATE_COLORS: Readonly<Record<TaskState, 'cyan' | 'yellow' | 'green' | 'red'>> = {
  TASK_STATE_SUBMITTED: 'cyan',
  TASK_STATE_WORKING: 'cyan',
  TASK_STATE_INPUT_REQUIRED: 'yellow',
  TASK_STATE_AUTH_REQUIRED: 'yellow',
  TASK_STATE_COMPLETED: 'green',
  TASK_STATE_FAILED: 'red',
  TASK_STATE_CANCELED: 'red',
  TASK_STATE_REJECTED: 'red',
};

export function stateWord(state: TaskState, colors: Colors): string {
  return colors[STATE_COLORS[state]](STATE_WORDS[state]);
}

/** One line for people: where an artifact is, or how much of what it holds. */
export function describeArtifact(artifact: Artifact): string {
  const name = artifact.name ?? artifact.artifactId;
  const urls = artifact.parts.flatMap(({ url }) => (url === undefined ? [] : [url]));
  return urls.length > 0
    ? `${name}  ${urls.join(' ')}`
    : `${name}  (${artifact.parts.map(describePart).join(', ') || 'empty'})`;
}

function describePart(part: Part): string {
  if (part.text !== undefined) return `${part.text.length} characters of text`;
  if (part.data !== undefined) return 'data';
  return part.mediaType ?? 'bytes';
}

/** Cuts to a line of at most `widthMax` characters, and takes away what a terminal would obey. */
export function oneLine(text: string, widthMax: number): string {
  const line = safe(text).replace(/\s+/g, ' ').trim();
  return line.length <= widthMax ? line : `${line.slice(0, Math.max(0, widthMax - 1))}…`;
}

/** Text from elsewhere, without control characters: a remote answer must not move the cursor or set a title. */
export function safe(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what it looks for
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}

/** Lines of at most `widthMax` characters, broken between words where there are any; a longer word stays whole. */
export function wrap(text: string, widthMax: number): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const lines: string[] = [];
    let rest = line;
    while (rest.length > widthMax) {
      const space = rest.lastIndexOf(' ', widthMax);
      const end = space > 0 ? space : rest.indexOf(' ', widthMax);
      if (end === -1) break;
      lines.push(rest.slice(0, end));
      rest = rest.slice(end + 1);
    }
    return [...lines, rest];
  });
}
