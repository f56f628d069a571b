/** TaskWorkflows in memory, on the same fold: an executor that does what the message's first word says. */
import { setTimeout as delay } from 'node:timers/promises';
import { contentHash } from '../../src/contract/submission-key.ts';
import type { StartTask } from '../../src/dispatch/start-task.ts';
import { type Message, textOf } from '../../src/domain/a2a.ts';
import { Failure } from '../../src/domain/failure.ts';
import { ownerKey } from '../../src/domain/owner.ts';
import type { Question } from '../../src/domain/question.ts';
import { requestIdOf } from '../../src/domain/request-id.ts';
import { foldTask, newTaskView, type TaskView } from '../../src/domain/task-fold.ts';
import type { CloseKind, LogEntry, LogRecord, MessageSignal, ProgressItem } from '../../src/domain/task-log.ts';
import { questionStatus, statusWithText } from '../../src/domain/task-status.ts';
import { byStatusTime } from '../../src/temporal/tasks/list/list-order.ts';
import type { ListRequest, TaskPage } from '../../src/temporal/tasks/list/list-page.ts';
import type { OpenQuestion, TaskFollowItem, TaskWorkflows } from '../../src/temporal/tasks/task-workflows.ts';
import type { TaskInput, TaskStartMemo } from '../../workflows/task-contract.ts';

interface FakeTask {
  readonly memo: TaskStartMemo;
  readonly first: TaskView;
  readonly items: TaskFollowItem[];
  view: TaskView;
  isClosed: boolean;
}

export class FakeTaskWorkflows implements TaskWorkflows {
  workers = 1;
  isTemporalUp = true;
  /** Signals that arrived, in order. */
  readonly received: MessageSignal[] = [];
  private readonly byId = new Map<string, FakeTask>();
  private changed = Promise.withResolvers<undefined>();

  async start(input: TaskInput, memo: TaskStartMemo): Promise<{ isNew: boolean; memo: TaskStartMemo }> {
    const known = this.byId.get(input.taskId);
    if (known !== undefined) return { isNew: false, memo: known.memo };
    this.begin(input.taskId, memo, input.message);
    return { isNew: true, memo };
  }

  async startMemo(taskId: string): Promise<TaskStartMemo | undefined> {
    this.mustBeUp();
    return this.byId.get(taskId)?.memo;
  }

  async read(taskId: string): Promise<TaskView> {
    this.mustBeUp();
    return this.task(taskId).view;
  }

  async sendMessage(taskId: string, signal: MessageSignal): Promise<void> {
    this.mustBeUp();
    const task = this.task(taskId);
    if (task.isClosed) throw new Failure('unsupported-operation', 'The task has ended');
    const isKnown = signal.id in task.view.receipts || task.view.inbox.some(({ id }) => id === signal.id);
    this.received.push(signal);
    this.append(taskId, { entry: 'message', signal });
    if (!isKnown && this.workers > 0) this.take(taskId, signal);
  }

  async requestCancel(taskId: string): Promise<void> {
    this.mustBeUp();
    if (this.task(taskId).isClosed || textOf(firstMessage(this.task(taskId))).startsWith('stubborn')) return;
    this.status(taskId, 'TASK_STATE_CANCELED');
    this.close(taskId, 'canceled');
  }

  async *follow(
    taskId: string,
    { after, signal }: { after?: string; signal: AbortSignal },
  ): AsyncGenerator<TaskFollowItem, void, undefined> {
    this.mustBeUp();
    const task = this.task(taskId);
    const place =
      after === undefined ? -1 : task.items.findIndex(({ shown }) => shown.some(({ cursor }) => cursor === after));
    let next = task.items.length;
    if (place === -1) {
      yield this.snapshot(task);
      if (task.isClosed) return;
    } else {
      const { shown, ...item } = task.items[place]!;
      const rest = shown.slice(shown.findIndex(({ cursor }) => cursor === after) + 1);
      yield { ...item, shown: rest };
      next = place + 1;
    }
    while (!signal.aborted) {
      const item = task.items[next];
      if (item !== undefined) {
        next += 1;
        yield item;
        if (item.isClosed) return;
        continue;
      }
      const aborted = Promise.withResolvers<undefined>();
      const onAbort = (): void => aborted.resolve(undefined);
      signal.addEventListener('abort', onAbort, { once: true });
      await Promise.race([this.changed.promise, aborted.promise]);
      signal.removeEventListener('abort', onAbort);
    }
  }

  async listOpenQuestions(): Promise<readonly OpenQuestion[]> {
    this.mustBeUp();
    return [...this.byId].flatMap(([taskId, { memo, view }]) =>
      view.questions.map((question) => ({
        taskId,
        contextId: memo.contextId,
        caller: memo.caller,
        publication: memo.publication,
        ...question,
      })),
    );
  }

  async list({ owner, contextId, state, since = 0, limit, after }: ListRequest): Promise<TaskPage> {
    this.mustBeUp();
    const all = [...this.byId.values()]
      .filter(({ memo }) => ownerKey(memo) === ownerKey(owner) && (contextId ?? memo.contextId) === memo.contextId)
      .map(({ view }) => ({ view, taskId: view.task.id, at: Date.parse(view.task.status.timestamp) }))
      .filter(({ view, at }) => (state ?? view.task.status.state) === view.task.status.state && at >= since)
      .sort(byStatusTime);
    const ahead = all.filter((task) => after === undefined || byStatusTime(after, task) < 0);
    const last = ahead.at(limit - 1);
    return {
      tasks: ahead.slice(0, limit).map(({ view }) => view),
      total: all.length,
      ...(ahead.length > limit && last && { next: { at: last.at, taskId: last.taskId } }),
    };
  }

  async isServed(): Promise<boolean> {
    return this.isTemporalUp && this.workers > 0;
  }

  async health(): Promise<{ isTemporalUp: boolean; workers: number }> {
    return { isTemporalUp: this.isTemporalUp, workers: this.isTemporalUp ? this.workers : 0 };
  }

  // What tests and the executor below do.

  begin(taskId: string, memo: TaskStartMemo, message: Message): void {
    const first = newTaskView({ taskId, contextId: memo.contextId, message, at: now() });
    this.byId.set(taskId, { memo, first, view: first, items: [], isClosed: false });
    if (this.workers > 0) this.run(taskId, message);
  }

  append(taskId: string, ...entries: LogEntry[]): void {
    const task = this.task(taskId);
    const eventId = task.items.length + 1;
    const events = entries.flatMap((entry) => {
      const { view, shown } = foldTask(task.view, entry);
      task.view = view;
      return shown;
    });
    task.items.push({
      view: task.view,
      shown: events.map((event, index) => ({ event, cursor: `run-${taskId}.${eventId}.${index}` })),
      isClosed: task.isClosed,
      isSnapshot: false,
      cursor: `run-${taskId}.${eventId}`,
    });
    const { resolve } = this.changed;
    this.changed = Promise.withResolvers();
    resolve(undefined);
  }

  record(taskId: string, ...records: LogRecord[]): void {
    this.append(taskId, ...records.map((record): LogEntry => ({ entry: 'record', record })));
  }

  status(taskId: string, state: Parameters<typeof statusWithText>[1], text?: string): void {
    const { contextId } = this.task(taskId).memo;
    this.record(taskId, { type: 'status', status: statusWithText({ taskId, contextId, at: now() }, state, text) });
  }

  progress(taskId: string, seq: number, ...items: ProgressItem[]): void {
    this.append(taskId, { entry: 'progress', signal: { stageId: 'main', turn: 0, attempt: 1, seq, items } });
  }

  chunk(taskId: string, seq: number, text: string): void {
    const artifact = { artifactId: 'answer', name: 'answer', parts: [{ text, mediaType: 'text/plain' }] };
    this.progress(taskId, seq, { artifact, append: seq > 1, lastChunk: false });
  }

  ask(taskId: string, message: string, options: Partial<Question> = {}): Question {
    const { contextId } = this.task(taskId).memo;
    const random = String(this.task(taskId).items.length).padStart(32, '0');
    const question: Question = {
      requestId: requestIdOf(taskId, random),
      stageId: 'main',
      askId: 'q',
      kind: 'free_text',
      message,
      callerAnswerable: true,
      shown: true,
      askedAt: now(),
      ...options,
    };
    this.record(taskId, { type: 'asked', question });
    const shown = this.task(taskId).view.questions.filter((each) => each.shown);
    if (shown.length > 0) {
      this.record(taskId, { type: 'status', status: questionStatus({ taskId, contextId, at: now() }, shown) });
    }
    return question;
  }

  complete(taskId: string, answer: string): void {
    this.record(taskId, {
      type: 'artifact',
      artifact: { artifactId: 'answer', name: 'answer', parts: [{ text: answer, mediaType: 'text/plain' }] },
    });
    this.status(taskId, 'TASK_STATE_COMPLETED');
    this.close(taskId, 'completed');
  }

  close(taskId: string, kind: CloseKind): void {
    this.task(taskId).isClosed = true;
    this.append(taskId, { entry: 'closed', kind, at: now() });
  }

  private run(taskId: string, message: Message): void {
    const [command = '', ...words] = textOf(message).split(' ');
    this.status(taskId, 'TASK_STATE_WORKING');
    if (command === 'echo') this.complete(taskId, words.join(' '));
    if (command === 'ask') this.ask(taskId, 'Which colour?');
    if (command === 'ask-twice') this.ask(taskId, 'First?');
    if (command === 'ask-operator')
      this.ask(taskId, 'Publish?', { kind: 'confirm', callerAnswerable: false, shown: false });
    if (command === 'reply') {
      this.record(taskId, {
        type: 'reply',
        message: {
          messageId: `reply-${taskId}`,
          contextId: this.task(taskId).memo.contextId,
          role: 'ROLE_AGENT',
          parts: [{ text: words.join(' ') }],
        },
      });
      this.status(taskId, 'TASK_STATE_COMPLETED');
      this.close(taskId, 'completed');
    }
  }

  private take(taskId: string, signal: MessageSignal): void {
    const { view } = this.task(taskId);
    const { id } = signal;
    const open = view.questions.filter((question) => signal.by === 'operator' || question.callerAnswerable);
    const question = 'answer' in signal ? open.find(({ requestId }) => requestId === signal.requestId) : open[0];
    const refuse = (reason: 'not-waiting' | 'several-questions' | 'stale-question'): void =>
      this.record(taskId, {
        type: 'receipt',
        receipt: {
          id,
          contentHash: signal.contentHash,
          outcome: 'refused',
          reason,
          requestIds: open.map(({ requestId }) => requestId),
        },
      });
    if (question === undefined) {
      refuse('answer' in signal ? 'stale-question' : 'not-waiting');
      return;
    }
    if (!('answer' in signal) && open.length > 1) {
      refuse('several-questions');
      return;
    }
    const { requestId } = question;
    this.record(
      taskId,
      { type: 'settled', requestId },
      { type: 'receipt', receipt: { id, contentHash: signal.contentHash, outcome: 'answered', requestId } },
    );
    this.status(taskId, 'TASK_STATE_WORKING');
    const said = 'answer' in signal ? JSON.stringify(signal.answer) : textOf(signal.message);
    const first = textOf(firstMessage(this.task(taskId)));
    if (first.startsWith('ask-twice') && question.message === 'First?') this.ask(taskId, 'Second?');
    else this.complete(taskId, said);
  }

  private snapshot({ view, items, isClosed, memo }: FakeTask): TaskFollowItem {
    return { view, shown: [], isClosed, isSnapshot: true, cursor: items.at(-1)?.cursor ?? `run-${memo.messageId}.0` };
  }

  private task(taskId: string): FakeTask {
    const task = this.byId.get(taskId);
    if (task === undefined) throw new Failure('task-not-found', 'Task not found');
    return task;
  }

  private mustBeUp(): void {
    if (!this.isTemporalUp) throw new Failure('unavailable', 'Temporal is away', { retryAfterSeconds: 1 });
  }
}

/** Starts tasks as the dispatcher does in `message` mode. */
export function fakeStartTask(tasks: FakeTaskWorkflows): StartTask & { readonly begun: string[] } {
  const begun: string[] = [];
  const startTask: StartTask = async ({ caller, tenant, message, idempotencyKey }) => {
    const owner = { caller, ...(tenant !== undefined && { tenant }) };
    if (!tasks.isTemporalUp) throw new Failure('unavailable', 'Temporal is away', { retryAfterSeconds: 1 });
    const taskId = `echo-${Buffer.from(`${ownerKey(owner)}/${idempotencyKey ?? message.messageId}`)
      .toString('hex')
      .slice(0, 120)}`;
    const hash = contentHash(message);
    const memo = await tasks.startMemo(taskId);
    if (memo !== undefined && memo.contentHash !== hash) throw new Failure('message-conflict', 'Other content');
    const contextId = memo?.contextId ?? message.contextId ?? `ctx-${begun.length}`;
    if (memo === undefined) {
      begun.push(taskId);
      tasks.begin(
        taskId,
        { ...owner, publication: 'echo', contextId, messageId: message.messageId, contentHash: hash },
        message,
      );
    }
    return { taskId, contextId, isNew: memo === undefined };
  };
  return Object.assign(startTask, { begun });
}

/** Polls a condition that another party brings about. */
export async function until(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    if (await isTrue()) return;
    await delay(10);
  }
  throw new Error(`It never came about that ${what}`);
}

function firstMessage(task: FakeTask): Message {
  return task.first.task.history[0]!;
}

let clock = Date.now();
/** Never the same twice, as no two statuses of a real task are. */
function now(): string {
  clock = Math.max(clock + 1, Date.now());
  return new Date(clock).toISOString();
}
