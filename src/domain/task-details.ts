import type { Pipeline, Stage } from './pipeline.ts';
import { own } from './own.ts';
import type { PipelineRun, StageProgress } from './pipeline-run.ts';
import type { TaskView } from './task-fold.ts';
import { cut } from './task-status.ts';

const LINE_MAX = 120;
const QUESTION_MAX = 500;

/** Markdown for Temporal's UI: where the task stands, what it asks, what it has made. */
export function taskDetails(view: TaskView, pipeline: Pipeline, run: PipelineRun): string {
  const stages = pipeline.stages.map((stage) => `- **${stage.id}** ${stageState(stage, own(run.stages, stage.id))}`);
  const questions = view.questions.map(
    (question) =>
      `- **${question.stageId}** asks ${question.callerAnswerable ? 'the caller' : 'an operator'} (${question.kind}): ` +
      `${inline(question.message, QUESTION_MAX)}\n  - \`${question.requestId}\``,
  );
  const artifacts = view.task.artifacts.map(({ name, artifactId }) => `- ${inline(name ?? artifactId)}`);
  return [
    `**${view.task.status.state.replace('TASK_STATE_', '')}** since ${view.task.status.timestamp}`,
    `### Stages\n${stages.join('\n')}`,
    ...(questions.length > 0 ? [`### Open questions\n${questions.join('\n')}`] : []),
    ...(artifacts.length > 0 ? [`### Artifacts\n${artifacts.join('\n')}`] : []),
  ].join('\n\n');
}

function stageState(stage: Stage, progress: StageProgress | undefined): string {
  if (progress === undefined) return 'waits';
  if (progress.envelope !== undefined) return `done: ${inline(progress.envelope.summary)}`;
  if (progress.gate === 'asking') return 'asks before it runs';
  const count = (phase: string): number => progress.elements.filter((each) => each.phase === phase).length;
  if (stage.forEach !== undefined) return `${count('done')} of ${progress.elements.length} done`;
  return count('asking') > 0 ? 'asks' : count('authorizing') > 0 ? 'waits for authorisation' : 'runs';
}

function inline(text: string, max = LINE_MAX): string {
  return cut(text.replaceAll(/\s+/g, ' '), max);
}
