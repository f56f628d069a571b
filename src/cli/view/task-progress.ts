import type { Artifact, Message, StreamResponse, Task, TaskState, TaskStatus } from '../../domain/a2a.ts';
import { textOf } from '../../domain/a2a.ts';
import type { JsonObject } from '../../domain/json.ts';
import { isTerminal } from '../../domain/task-state.ts';

/** What a person wants to see of a task's stream: folded from its events, stage by stage in the order of their appearance. */
export interface TaskProgress {
  readonly taskId: string;
  readonly state: TaskState;
  readonly stages: readonly StageProgress[];
  /** Newest word that belongs to no stage. */
  readonly text?: string;
  readonly question?: ShownQuestion;
  readonly artifacts: readonly Artifact[];
  /** The Message that answers instead of the task. */
  readonly reply?: Message;
}

export interface StageProgress {
  readonly id: string;
  readonly isDone: boolean;
  /** Set while it waits for a human. */
  readonly asks?: 'caller' | 'operator';
  readonly text?: string;
  readonly percent?: number;
  /** Of a stage that runs once per element: where each that has begun stands. */
  readonly elements: Readonly<Record<number, ElementProgress>>;
  readonly elementCount?: number;
  readonly elementsDone?: number;
}

export interface ElementProgress {
  readonly text?: string;
  readonly percent?: number;
  readonly isDone: boolean;
}

export interface ShownQuestion {
  readonly requestId?: string;
  readonly text: string;
}

export function newTaskProgress(taskId: string): TaskProgress {
  return { taskId, state: 'TASK_STATE_SUBMITTED', stages: [], artifacts: [] };
}

export function foldStream(progress: TaskProgress, event: StreamResponse): TaskProgress {
  if ('task' in event) return foldTask(progress, event.task);
  if ('message' in event) return { ...progress, state: 'TASK_STATE_COMPLETED', reply: event.message };
  if ('artifactUpdate' in event) {
    const { artifact, append } = event.artifactUpdate;
    return { ...progress, artifacts: foldArtifact(progress.artifacts, artifact, append ?? false) };
  }
  return foldStatus(progress, event.statusUpdate.status, event.statusUpdate.metadata ?? {});
}

/** Whether the task waits for this caller. */
export function isWaiting(state: TaskState): boolean {
  return state === 'TASK_STATE_INPUT_REQUIRED' || state === 'TASK_STATE_AUTH_REQUIRED';
}

/** The question of a status, if it asks one. */
function questionOf({ state, message }: TaskStatus): ShownQuestion | undefined {
  if (!isWaiting(state)) return undefined;
  const requestId = message?.metadata?.['requestId'];
  return {
    text: message === undefined ? '' : textOf(message),
    ...(typeof requestId === 'string' && { requestId }),
  };
}

function foldTask(progress: TaskProgress, task: Task): TaskProgress {
  return foldStatus({ ...progress, taskId: task.id, artifacts: task.artifacts ?? [] }, task.status, {});
}

function foldStatus(progress: TaskProgress, status: TaskStatus, metadata: JsonObject): TaskProgress {
  const { question: _question, text: _text, ...rest } = progress;
  const question = questionOf(status);
  const said = status.message === undefined ? undefined : textOf(status.message);
  const stageId = metadata['stage'];
  const isOfStage = typeof stageId === 'string' && !isTerminal(status.state);
  return {
    ...rest,
    state: status.state,
    ...(question !== undefined && { question }),
    ...(!isOfStage && question === undefined && said !== undefined && { text: said }),
    stages: isOfStage ? foldStage(progress.stages, stageId, said, metadata) : endStages(progress.stages, status.state),
  };
}

/** `metadata` is a stage's own news (`stageState`), or what its executor says: `text`, `percent`. */
function foldStage(
  stages: readonly StageProgress[],
  id: string,
  said: string | undefined,
  metadata: JsonObject,
): readonly StageProgress[] {
  const found: StageProgress = stages.find((stage) => stage.id === id) ?? { id, isDone: false, elements: {} };
  const { asks: _asks, ...before } = found;
  const { stageState, element, of, done, asks } = metadata;
  const numbers: Pick<StageProgress, 'asks' | 'elementCount' | 'elementsDone'> = {
    ...(typeof of === 'number' && { elementCount: of }),
    ...(typeof done === 'number' && { elementsDone: done }),
    ...(stageState === 'asking' && (asks === 'caller' || asks === 'operator') && { asks }),
  };
  const run = runNews(said, metadata);
  const merged: StageProgress = { ...before, ...numbers };
  const after: StageProgress =
    typeof element === 'number'
      ? {
          ...merged,
          elements: { ...merged.elements, [element]: { isDone: false, ...merged.elements[element], ...run } },
        }
      : { ...merged, ...run };
  return stages.some((stage) => stage.id === id)
    ? stages.map((stage) => (stage.id === id ? after : stage))
    : [...stages, after];
}

/** What a status says of a stage, or of one element of it. */
function runNews(said: string | undefined, { stageState, text, percent }: JsonObject): Partial<ElementProgress> {
  if (stageState === 'completed' || stageState === 'element-completed') return { isDone: true };
  // The message of a stage's own news is the task's: a question, perhaps of another stage.
  if (stageState !== undefined) return { isDone: false };
  const word = typeof text === 'string' ? text : said;
  return {
    isDone: false,
    ...(word !== undefined && word !== '' && { text: word }),
    ...(typeof percent === 'number' && { percent }),
  };
}

/** When the task has completed, so has every stage. */
function endStages(stages: readonly StageProgress[], state: TaskState): readonly StageProgress[] {
  return state === 'TASK_STATE_COMPLETED' ? stages.map((stage) => ({ ...stage, isDone: true })) : stages;
}

function foldArtifact(artifacts: readonly Artifact[], artifact: Artifact, append: boolean): readonly Artifact[] {
  const before = artifacts.find(({ artifactId }) => artifactId === artifact.artifactId);
  if (before === undefined) return [...artifacts, artifact];
  const merged = append ? { ...before, ...artifact, parts: [...before.parts, ...artifact.parts] } : artifact;
  return artifacts.map((each) => (each.artifactId === artifact.artifactId ? merged : each));
}
