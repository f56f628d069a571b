import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { Pipeline } from '../../src/domain/pipeline.ts';
import type { StageOutcome } from '../../src/domain/stage-run.ts';
import { isTerminal } from '../../src/domain/task-state.ts';
import type { TaskView } from '../../src/domain/task-fold.ts';
import type { MessageSignal, ProgressItem } from '../../src/domain/task-log.ts';
import { messageSignal, progressSignal } from '../../workflows/task-contract.ts';
import { eventually } from './eventually.ts';
import type { Action, Item, RandomTaskScript } from './random-task-script.ts';
import type { FoldedHistory } from './task-history.ts';
import { foldTaskHistory } from './task-history.ts';
import type { RunningTask, ScriptedStage, TaskRig } from './task-rig.ts';
import { publicationOf, stageOf } from './task-rig.ts';

export interface LivedTask {
  /** What the workflow answered, in order; the last when it had ended. */
  readonly answered: readonly TaskView[];
  readonly history: FoldedHistory;
}

const pipeline: Pipeline = {
  id: 'script',
  stages: [
    stageOf('talk', { gates: ['free_text'], callerAnswerable: true, followUps: true }),
    stageOf('side', { gates: ['confirm'] }),
    stageOf('each', { needs: ['talk'], forEach: '/talk/payload/list', sideBySide: 2, gates: ['confirm'] }),
    stageOf('last', { needs: ['side', 'each'], gate: { kind: 'confirm', message: 'Go?' } }),
  ],
};

/** Stages that do what the script of their task says. */
export function scriptedStages(
  scripts: ReadonlyMap<string, RandomTaskScript>,
): Readonly<Record<string, ScriptedStage>> {
  const run: ScriptedStage = async ({ stage, turn, element }, { taskId }, _upstream, { progress }) => {
    const script = scripts.get(taskId);
    const plan = script?.stages[stage.id]?.[turn];
    const { attempt } = Context.current().info;
    for (const batch of plan?.batches ?? []) await progress(...batch.items.map((item) => toItem(item, element)));
    if (plan?.isFailedFirst === true && attempt === 1) throw new Error('the first try fails');
    if (plan?.then === 'pause') await delay(20);
    if (plan?.then === 'auth') return { outcome: 'auth-required', message: 'Let me in' };
    if (plan?.then === 'ask') {
      const kind = stage.id === 'talk' ? 'free_text' : 'confirm';
      return { outcome: 'ask', ask: { id: `q${turn}`, kind, message: `Question ${turn}` } };
    }
    return envelope(script?.elements ?? 0);
  };
  return { talk: run, side: run, each: run, last: run };
}

function envelope(elements: number): StageOutcome {
  const list = Array.from({ length: elements }, (_, index) => index);
  return { outcome: 'envelope', envelope: { summary: 'done', payload: { list }, artifacts: [] } };
}

function toItem(item: Item, element: number | undefined): ProgressItem {
  if ('text' in item) return { ...item, at: new Date().toISOString() };
  const artifactId = element === undefined ? item.artifact : `${item.artifact}-${element}`;
  return { artifact: { artifactId, parts: [{ text: item.chunk }] }, append: item.append, lastChunk: false };
}

/** Starts the task, does what the script says, answers what is still asked, and waits for its end. */
export async function liveTask(rig: TaskRig, taskId: string, script: RandomTaskScript): Promise<LivedTask> {
  const task = await rig.start(publicationOf(pipeline), {
    taskId,
    limits: { historyEventsMax: script.historyEventsMax },
    ...(script.isSignalledAtStart && { signal: say('with the start') }),
  });
  const firstRunId = (await task.handle.describe()).raw.workflowExecutionInfo?.firstRunId ?? '';
  const answered: TaskView[] = [];
  const query = async (): Promise<TaskView> => {
    const view = await task.view();
    answered.push(view);
    return view;
  };
  for (const action of script.actions) await perform(task, action, query);
  await eventually(
    async () => {
      const view = await query();
      if (isTerminal(view.task.status.state)) return true;
      const [question] = view.questions;
      const id = `end-${answered.length}`;
      if (question !== undefined) await ignoreEnd(answer(task, id, question.requestId, question.kind, 'operator'));
      else if (view.task.status.state === 'TASK_STATE_AUTH_REQUIRED')
        await ignoreEnd(task.handle.signal(messageSignal, say(id)));
      return false;
    },
    { timeoutMs: 60_000 },
  );
  await task.handle.result().catch(() => undefined);
  await query();
  return { answered, history: await foldTaskHistory(rig.client, taskId, firstRunId) };
}

async function perform(task: RunningTask, action: Action, query: () => Promise<TaskView>): Promise<void> {
  const { handle } = task;
  switch (action.do) {
    case 'say':
      await Promise.all(action.ids.map((id) => ignoreEnd(handle.signal(messageSignal, say(id)))));
      return;
    case 'answer': {
      const requestId = (await query()).questions[0]?.requestId ?? 'none';
      const send = () =>
        ignoreEnd(answer(task, `answer-${requestId}-${action.kind}`, requestId, action.kind, action.by));
      await Promise.all(action.twice ? [send(), send()] : [send()]);
      return;
    }
    case 'garbage':
      await ignoreEnd(handle.signal(action.signal, action.value));
      return;
    case 'stale':
      await ignoreEnd(
        handle.signal(progressSignal, {
          stageId: action.stageId,
          turn: action.turn,
          attempt: action.attempt,
          seq: action.seq,
          items: [
            { text: 'stale', at: '2020-01-01T00:00:00.000Z' },
            toItem({ chunk: 's', artifact: 'a', append: true }, undefined),
          ],
        }),
      );
      return;
    case 'query':
      await query();
      return;
    case 'pause':
      await delay(action.ms);
      return;
    case 'cancel':
      await handle.cancel();
  }
}

function say(id: string): MessageSignal {
  const message = { messageId: id, role: 'ROLE_USER', parts: [{ text: id }] } as const;
  return { id, contentHash: id, by: 'caller', at: '2020-01-01T00:00:00.000Z', message };
}

function answer(
  task: RunningTask,
  id: string,
  requestId: string,
  kind: 'free_text' | 'confirm',
  by: 'caller' | 'operator',
): Promise<void> {
  const given = kind === 'confirm' ? ({ kind, decision: 'accept' } as const) : ({ kind, text: 'because' } as const);
  return task.handle.signal(messageSignal, {
    id,
    contentHash: id,
    by,
    at: '2020-01-01T00:00:00.000Z',
    requestId,
    answer: given,
  });
}

/** The task may have ended meanwhile. */
async function ignoreEnd(sent: Promise<void>): Promise<void> {
  await sent.catch((error: unknown) => {
    if (!/not found|already completed/i.test(String(error))) throw error;
  });
}
