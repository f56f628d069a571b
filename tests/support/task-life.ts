/** A caller who sees one task through, as a good client does: whatever fails is sent again, and a cut stream is taken up where it was. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Task, TaskState } from '../../src/domain/a2a.ts';
import { isTerminal } from '../../src/domain/task-state.ts';
import type { Deployment, DeploymentOptions } from './deployment.ts';
import type { RpcAnswer, SseEvent } from './gateway.ts';

const STAGES = './life-stages.ts';

/** What the deployment offers for it; the stages are in tests/fixtures/life-stages.ts. */
export const LIFE: Pick<DeploymentOptions, 'publications' | 'files'> = {
  files: {
    'life-stages.ts': readFileSync(join(import.meta.dirname, '../fixtures/life-stages.ts'), 'utf8'),
    'life.pipeline.yaml': `id: life
stages:
  - id: work
    executor: { kind: function, module: ${STAGES}, export: work }
  - id: ask
    needs: [work]
    executor: { kind: function, module: ${STAGES}, export: ask }
    gates: [free_text]
  - id: write
    needs: [ask]
    executor: { kind: function, module: ${STAGES}, export: write }
    emits: [report.md]
  - id: close
    needs: [write]
    executor: { kind: function, module: ${STAGES}, export: close }
    emits: [final.md]
`,
  },
  publications: `- id: life
  name: Life
  description: Passes every step that a task can pass.
  pipeline: ./life.pipeline.yaml
  allowed_callers: [alice]
  results: { stage: close, artifacts: [final.md] }
  caller_answerable_stages: [ask]`,
};

/** What a caller has seen of a task. */
export interface SeenLife {
  readonly taskId: string;
  /** Of a stream, over all cuts. */
  readonly events: readonly SseEvent[];
  /** How often the stream had to be taken up again. */
  readonly cuts: number;
  /** GetTask, again and again. */
  readonly samples: readonly Task[];
  /** As it is after the end. */
  readonly task: Task;
}

export interface TaskLife {
  /** Of the first message; those of the answers are `<name>-colour` and `<name>-size`. */
  readonly messageId: string;
  readonly isStarted: boolean;
  readonly isAnswered: boolean;
  /** The newest state that the stream has shown. */
  readonly state: string | undefined;
  /** The stream has ended behind the task's last event. */
  readonly isOver: boolean;
  /** Questions are answered once this is called. */
  allowAnswer(): void;
  readonly end: Promise<SeenLife>;
}

const RETRY_MS = 100;
const SAMPLE_MS = 200;
/** So long a caller tries; a task that is stuck fails here. */
const PATIENCE_MS = 90_000;

type Asked = 'colour' | 'size';
export const answerTo = (asked: Asked, name: string): string => `${asked} of ${name}`;
export const answerIdOf = (asked: Asked, name: string): string => `${name}-${asked}`;

/** @param name of its own for each life: it is the messageId and begins the message's text. @param gates that are shut */
export function liveTask(
  deployment: Deployment,
  { name, gates, mayAnswer = true }: { name: string; gates: readonly string[]; mayAnswer?: boolean },
): TaskLife {
  const text = [name, ...gates].join(' ');
  const answerable = Promise.withResolvers<undefined>();
  const allowAnswer = (): void => {
    answerable.resolve(undefined);
  };
  if (mayAnswer) allowAnswer();
  const events: SseEvent[] = [];
  const samples: Task[] = [];
  const marks = { isStarted: false, isAnswered: false, isOver: false, cuts: 0 };
  const deadline = Date.now() + PATIENCE_MS;
  const isTooLate = (): boolean => Date.now() > deadline;

  /** Sends until there is an answer that is no failure to repeat. */
  async function insist(what: string, attempt: () => Promise<RpcAnswer>): Promise<RpcAnswer> {
    let last: unknown = 'nothing';
    for (;;) {
      if (isTooLate()) throw new Error(`${name}: ${what} came to nothing: ${String(last)}`);
      try {
        const answer = await attempt();
        if (answer.body?.result !== undefined) return answer;
        last = answer.text;
        if (answer.status !== 503) refuse(what, last);
      } catch (error) {
        if (error instanceof Refusal) throw error;
        last = error;
      }
      await delay(RETRY_MS);
    }
  }

  const begin = (): Promise<RpcAnswer> =>
    insist('the message', () =>
      deployment.send(text, {
        configuration: { returnImmediately: true },
        message: { messageId: name, metadata: { skillHint: 'life' } },
      }),
    );

  const answer = (asked: Asked, taskId: string): Promise<RpcAnswer> =>
    insist(`the ${asked}`, () =>
      deployment.send(answerTo(asked, name), {
        configuration: { returnImmediately: true },
        message: { messageId: answerIdOf(asked, name), taskId },
      }),
    );

  async function follow(taskId: string): Promise<void> {
    for (let isFirst = true; !marks.isOver; isFirst = false) {
      if (isTooLate())
        throw new Error(`${name}: the stream has not come to its end; last ${stateOf(events) ?? 'nothing'}`);
      if (!isFirst) await delay(RETRY_MS);
      const after = events.at(-1)?.id;
      try {
        await using stream = await deployment.stream(
          'SubscribeToTask',
          { id: taskId },
          { headers: after === undefined ? {} : { 'Last-Event-ID': after } },
        );
        for (let event = await stream.next(); event !== undefined; event = await stream.next()) {
          // No event of the task, but why the stream ends.
          if (event.event === 'error') throw new Error(JSON.stringify(event.data));
          events.push(event);
        }
        const state = stateOf(events);
        if (state === 'TASK_STATE_COMPLETED') marks.isOver = true;
        else if (state !== undefined && isTerminal(state as TaskState))
          throw new Refusal(JSON.stringify(events.at(-1)));
        else marks.cuts += 1;
      } catch (error) {
        if (error instanceof Refusal) throw error;
        marks.cuts += 1;
      }
    }
  }

  async function sample(taskId: string): Promise<void> {
    while (!marks.isOver && !isTooLate()) {
      await deployment.task(taskId).then(
        (task) => samples.push(task),
        () => undefined,
      );
      await delay(SAMPLE_MS);
    }
  }

  async function isAsked(asked: Asked): Promise<void> {
    while (questionIn(events) !== `What ${asked}?`) {
      if (isTooLate() || marks.isOver) throw new Error(`${name}: nobody has asked for the ${asked}`);
      await delay(20);
    }
  }

  async function reply(taskId: string): Promise<void> {
    await isAsked('colour');
    await answerable.promise;
    await answer('colour', taskId);
    marks.isAnswered = true;
    await isAsked('size');
    // A caller in doubt says it again, while another question is open; and once more when all is said.
    await answer('colour', taskId);
    await answer('size', taskId);
    await answer('colour', taskId);
  }

  async function live(): Promise<SeenLife> {
    const taskId = (await begin()).body.result.task.id as string;
    marks.isStarted = true;
    await Promise.all([follow(taskId), sample(taskId), reply(taskId)]);
    const again = await begin();
    const task = await deployment.task(taskId);
    if (again.body.result.task.id !== taskId) throw new Error(`${name}: the message has become two tasks`);
    return { taskId, events, cuts: marks.cuts, samples, task };
  }

  const end = live();
  end.catch(() => undefined); // reported where it is awaited
  return {
    messageId: name,
    get isStarted() {
      return marks.isStarted;
    },
    get isAnswered() {
      return marks.isAnswered;
    },
    get isOver() {
      return marks.isOver;
    },
    get state() {
      return stateOf(events);
    },
    allowAnswer,
    end,
  };
}

class Refusal extends Error {}

function refuse(what: string, answer: unknown): never {
  throw new Refusal(`${what} was refused: ${String(answer)}`);
}

/** The newest state that these events show. */
function stateOf(events: readonly SseEvent[]): string | undefined {
  return events.map(stateIn).findLast((state) => state !== undefined);
}

/** The question that is open, by these events. */
function questionIn(events: readonly SseEvent[]): string | undefined {
  if (stateOf(events) !== 'TASK_STATE_INPUT_REQUIRED') return undefined;
  const { task, statusUpdate } = events.findLast((event) => stateIn(event) !== undefined)?.data.result ?? {};
  return (task ?? statusUpdate).status.message?.parts[0]?.text as string | undefined;
}

export function stateIn({ data }: SseEvent): string | undefined {
  const { task, statusUpdate } = data.result ?? {};
  return (task ?? statusUpdate)?.status.state as string | undefined;
}
