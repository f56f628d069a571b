import { textOf } from './a2a.ts';
import { escapeMarkdown } from './escape-markdown.ts';
import type { Pipeline, Stage } from './pipeline.ts';
import { own } from './own.ts';
import type { PipelineRun, StageProgress } from './pipeline-run.ts';
import type { Question } from './question.ts';
import type { TaskView } from './task-fold.ts';
import { isTerminal } from './task-state.ts';
import { cut } from './task-status.ts';

const LINE_MAX = 120;
const QUESTION_MAX = 500;
const WHY_MAX = 500;
/** A summary may be a megabyte long. */
const LOOKED_AT_MAX = 5_000;

/** Markdown for Temporal's UI: where the task stands, or why it ended, what it asks, what it has made. */
export function taskDetails(view: TaskView, pipeline: Pipeline, run: PipelineRun): string {
  const { state, message, timestamp } = view.task.status;
  const isOver = isTerminal(state);
  const why = isOver && message !== undefined ? inline(textOf(message), WHY_MAX) : '';
  const stages = pipeline.stages.map(
    (stage) => `- **${stage.id}** ${stageState(stage, own(run.stages, stage.id), isOver)}`,
  );
  const questions = view.questions.map(
    (question) =>
      `- **${nameOf(question)}** asks ${question.callerAnswerable ? 'the caller' : 'an operator'} (${question.kind}): ` +
      `${inline(question.message, QUESTION_MAX)}\n  - \`${question.requestId}\``,
  );
  const artifacts = view.task.artifacts.map(({ name, artifactId }) => `- ${inline(name ?? artifactId)}`);
  return [
    `**${state.replace('TASK_STATE_', '')}** since ${timestamp}${why === '' ? '' : `: ${why}`}`,
    `### Stages\n${stages.join('\n')}`,
    ...(questions.length > 0 ? [`### Open questions\n${questions.join('\n')}`] : []),
    ...(artifacts.length > 0 ? [`### Artifacts\n${artifacts.join('\n')}`] : []),
  ].join('\n\n');
}

/** As the stage's activities are called. */
function nameOf({ stageId, element }: Question): string {
  return element === undefined ? stageId : `${stageId} ${element + 1}`;
}

function stageState(stage: Stage, progress: StageProgress | undefined, isOver: boolean): string {
  if (progress === undefined || (isOver && progress.gate === 'asking')) return isOver ? 'not begun' : 'waits';
  if (progress.envelope !== undefined) return `done: ${inline(progress.envelope.summary)}`;
  const count = (phase: string): number => progress.elements.filter((each) => each.phase === phase).length;
  if (isOver)
    return stage.forEach === undefined ? 'not finished' : `${count('done')} of ${progress.elements.length} done`;
  if (progress.gate === 'asking') return 'asks before it runs';
  if (stage.forEach !== undefined) return `${count('done')} of ${progress.elements.length} done`;
  return count('asking') > 0 ? 'asks' : count('authorizing') > 0 ? 'waits for authorisation' : 'runs';
}

function inline(text: string, max = LINE_MAX): string {
  return escapeMarkdown(cut(text.slice(0, LOOKED_AT_MAX).replaceAll(/\s+/g, ' '), max));
}
