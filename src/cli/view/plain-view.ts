import type { StreamResponse } from '../../domain/a2a.ts';
import type { Output } from '../output.ts';
import type { StageProgress, TaskProgress } from './task-progress.ts';
import type { TaskView } from './task-view.ts';
import { oneLine, safe, stateWord } from './words.ts';

/** A line for each thing that happens, as logs and pipes want it. */
export function createPlainView(output: Output): TaskView {
  let stateBefore: string | undefined;
  let lineBefore: string | undefined;
  const say = (line: string): void => {
    if (line !== lineBefore) output.say(line);
    lineBefore = line;
  };
  return {
    show(event, progress) {
      if (progress.state !== stateBefore && progress.reply === undefined) {
        const question = progress.question === undefined ? '' : `: ${oneLine(progress.question.text, 500)}`;
        say(`${time(output)} ${stateWord(progress.state, output.colors)}${question}`);
        stateBefore = progress.state;
      }
      for (const line of linesOf(event, progress)) say(`${time(output)} ${line}`);
    },
    note: (text) => output.note(`${time(output)} ${text}`),
    close: () => undefined,
  };
}

function linesOf(event: StreamResponse, progress: TaskProgress): readonly string[] {
  if ('artifactUpdate' in event) {
    const { artifact, append, lastChunk } = event.artifactUpdate;
    // Of a text that grows chunk by chunk the first and the last are said.
    return append === true && lastChunk !== true ? [] : [`artifact ${safe(artifact.name ?? artifact.artifactId)}`];
  }
  if (!('statusUpdate' in event)) return [];
  const { metadata = {} } = event.statusUpdate;
  const stage = progress.stages.find(({ id }) => id === metadata['stage']);
  if (stage === undefined) return progress.text === undefined ? [] : [oneLine(progress.text, 500)];

  const element = typeof metadata['element'] === 'number' ? metadata['element'] : undefined;
  const name = element === undefined ? stage.id : `${stage.id} ${element + 1}`;
  const { stageState } = metadata;
  if (typeof stageState === 'string') return [stageLine(name, stageState, stage)];
  const run = element === undefined ? stage : stage.elements[element];
  const percent = run?.percent === undefined ? '' : ` ${run.percent}%`;
  return [`${name}${percent}${run?.text === undefined ? '' : ` ${oneLine(run.text, 500)}`}`];
}

function stageLine(name: string, stageState: string, { asks, elementCount, elementsDone }: StageProgress): string {
  switch (stageState) {
    case 'started':
      return elementCount === undefined ? `${name} started` : `${name} started, ${elementCount} to do`;
    case 'element-completed':
      return `${name} completed (${elementsDone ?? 0} of ${elementCount ?? 0})`;
    case 'asking':
      return asks === 'operator' ? `${name} waits for an operator's answer` : `${name} asks`;
    default:
      return `${name} ${stageState}`;
  }
}

function time({ colors }: Output): string {
  return colors.dim(new Date().toISOString().slice(11, 19));
}
