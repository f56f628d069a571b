import type { Task } from '../../domain/a2a.ts';
import { textOf } from '../../domain/a2a.ts';
import { commandName } from '../command-name.ts';
import type { ExitCode } from '../exit-codes.ts';
import { EXIT } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { isWaiting } from './task-progress.ts';
import { describeArtifact, safe, stateWord } from './words.ts';

/** Prints where a task stands: its state, what it says or asks, what it has made, and what to type next. */
export function describeTask(task: Task, output: Output): void {
  const { colors } = output;
  output.say(`${colors.bold(task.id)}  ${stateWord(task.status.state, colors)}`);
  const text = task.status.message === undefined ? '' : safe(textOf(task.status.message));
  const answer = plainAnswerOf(task);
  if (text !== '' && text !== answer) output.say(text);
  if (answer !== undefined) output.say(answer);
  for (const artifact of task.artifacts ?? []) {
    if (artifact.artifactId !== 'answer') output.say(`  ${safe(describeArtifact(artifact))}`);
  }
  for (const line of nextSteps(task)) output.say(colors.dim(line));
}

/** What a user may want to type now. */
export function nextSteps({ id, status }: Pick<Task, 'id' | 'status'>): readonly string[] {
  if (isWaiting(status.state)) return [`Answer:  ${commandName()} answer ${id} '<your answer>'`];
  if (status.state === 'TASK_STATE_WORKING' || status.state === 'TASK_STATE_SUBMITTED') {
    return [`Watch:   ${commandName()} watch ${id}`];
  }
  return [];
}

/** How a script hears of a task's state. */
export function exitCodeOf(task: Pick<Task, 'status'>): ExitCode {
  switch (task.status.state) {
    case 'TASK_STATE_FAILED':
    case 'TASK_STATE_REJECTED':
    case 'TASK_STATE_CANCELED':
      return EXIT.failed;
    case 'TASK_STATE_INPUT_REQUIRED':
    case 'TASK_STATE_AUTH_REQUIRED':
      return EXIT.waiting;
    case 'TASK_STATE_SUBMITTED':
    case 'TASK_STATE_WORKING':
    case 'TASK_STATE_COMPLETED':
      return EXIT.ok;
  }
}

/** The text of a plain skill's answer. */
function plainAnswerOf(task: Task): string | undefined {
  const answer = task.artifacts?.find(({ artifactId }) => artifactId === 'answer');
  return answer === undefined ? undefined : safe(textOf(answer));
}
