import { CancellationScope, condition, sleep, uuid4, workflowInfo } from '@temporalio/workflow';
import { type Message, type Part, type TaskStatus, textOf } from '../src/domain/a2a.ts';
import { isEnvelopeRef } from '../src/domain/envelope.ts';
import type { Json, JsonObject } from '../src/domain/json.ts';
import {
  askingGate,
  closeStage,
  elementOf,
  emptyRun,
  GATE_ASK_ID,
  isDone,
  isRejection,
  joinStage,
  layOutStage,
  nextWork,
  openStage,
  passGate,
  type PipelineRun,
  type RunRef,
  runningCount,
  withElement,
} from '../src/domain/pipeline-run.ts';
import { ElementsError, sourceOf } from '../src/domain/elements.ts';
import { own } from '../src/domain/own.ts';
import type { Pipeline, Stage } from '../src/domain/pipeline.ts';
import { type Answer, answerValue, type Ask, type Question } from '../src/domain/question.ts';
import { requestIdOf } from '../src/domain/request-id.ts';
import { TaskFailedError } from '../src/domain/stage-failure.ts';
import type { LaidOut, StageOutcome } from '../src/domain/stage-run.ts';
import { receiptOf, takeMessage } from '../src/domain/take-message.ts';
import { taskDetails } from '../src/domain/task-details.ts';
import { shownBytesOf, taskResult } from '../src/domain/task-result.ts';
import { openStatus, statusWithText } from '../src/domain/task-status.ts';
import { FULL, HistoryRoom } from './history-room.ts';
import { InputRoom } from './input-room.ts';
import { type Ended, StageRuns } from './stage-runs.ts';
import type { TaskInput } from './task-contract.ts';
import type { TaskRecorder } from './task-recorder.ts';

/** Walks the pipeline: takes what has happened, starts what can start, and waits for more. */
export class PipelineWalk {
  run: PipelineRun;
  private readonly input: TaskInput;
  private readonly task: TaskRecorder;
  private readonly pipeline: Pipeline;
  private readonly runs: StageRuns;
  /** The last try has shown the artifact `answer` itself; of a plain skill, which completes in the same round. */
  private isAnswered = false;
  /** Stage runs are ready whose inputs are too large to be handed over together with those that have just started. */
  private isHeldBack = false;
  private readonly history: HistoryRoom;
  /** Stage runs that were held for the length of the history may start. */
  private isFreed = false;
  /** Only a run of the workflow that has got somewhere may be continued as new, or it would be for ever. */
  private hasMoved = false;

  constructor(input: TaskInput, task: TaskRecorder) {
    this.input = input;
    this.task = task;
    this.pipeline = input.publication.pipeline;
    this.run = input.resume?.run ?? emptyRun;
    this.runs = new StageRuns(input);
    const { historyEventsMax, historyHoldMs } = input.limits;
    this.history = new HistoryRoom({
      state: workflowInfo,
      sleep: (ms) => CancellationScope.nonCancellable(() => sleep(ms, { summary: 'a long history: starts are held' })),
      holdMs: historyHoldMs,
      eventsMax: historyEventsMax,
    });
  }

  /**
   * One round. True when the task is completed.
   * @throws {TaskFailedError} when it has failed or is rejected; CancelledFailure when it is cancelled
   */
  async advance(): Promise<boolean> {
    this.takeMessages();
    this.takeEnded();
    this.failIfFull();
    this.startWork();
    if (isDone(this.pipeline, this.run)) {
      this.complete();
      return true;
    }
    this.flush();
    if (this.isHeldBack) await sleep(1, { summary: 'large inputs start a few at a time' });
    else await condition(() => this.hasNews() || this.history.isFull || this.mustContinueAsNew());
    return false;
  }

  /** A signal has come, sound or not: the history is longer by it. */
  hasBeenSignalled(): void {
    this.hasMoved = true;
  }

  mustContinueAsNew(): boolean {
    return this.isHistoryLong() && this.runs.isIdle && !this.hasNews();
  }

  /** Ends everything that runs, within the grace, and answers what still waits in the inbox. */
  async stop(): Promise<void> {
    await this.runs.stop();
    for (const { requestId } of this.task.view.questions) this.task.record({ type: 'settled', requestId });
    for (const signal of this.task.view.inbox) {
      this.task.record({ type: 'receipt', receipt: receiptOf(signal, { outcome: 'refused', reason: 'ending' }) });
    }
  }

  end(status: TaskStatus, metadata?: JsonObject): void {
    this.task.recordStatus(status, metadata);
    this.flush();
  }

  private flush(): void {
    this.task.flush(taskDetails(this.task.view, this.pipeline, this.run));
  }

  private hasNews(): boolean {
    return this.runs.hasEnded || this.task.view.inbox.length > 0 || this.isFreed;
  }

  private isHistoryLong(): boolean {
    return this.hasMoved && this.history.isLong;
  }

  private mayStart(): boolean {
    if (!this.hasMoved) return true;
    return this.history.mayStart(this.runs.isIdle, () => {
      this.isFreed = true;
    });
  }

  private failIfFull(): void {
    if (!this.history.isFull || this.mustContinueAsNew()) return;
    const text = `The task's history has reached its limit of ${FULL.events} events or ${FULL.bytes} bytes`;
    throw new TaskFailedError({ reason: 'limit-exceeded', text, detail: `${text} while a stage was running` });
  }

  private startWork(): void {
    const room = new InputRoom(this.pipeline, this.input.message);
    this.isHeldBack = false;
    this.isFreed = false;
    let isFree: boolean | undefined; // asked when there is something to start: it may begin a hold
    // Opening and closing a stage can make others ready at once.
    for (let work = nextWork(this.pipeline, this.run); work.length > 0; work = nextWork(this.pipeline, this.run)) {
      const isRunsOnly = work.every((each) => each.do === 'run');
      if (isRunsOnly && (this.isHeldBack || !(isFree ??= this.mayStart()))) return;
      const sideBySide = runningCount(this.run) + work.filter((each) => each.do === 'run').length;
      for (const each of work) {
        if (each.do === 'ask-gate') this.askGate(each.stage);
        else if (each.do === 'open') this.open(each.stage);
        else if (each.do === 'close') this.close(each.stage);
        else if (!(isFree ??= this.mayStart())) continue;
        else if (room.take(each.stage, each.ref, this.run)) this.start(each.stage, each.ref, sideBySide);
        else this.isHeldBack = true;
      }
    }
  }

  private askGate(stage: Stage): void {
    if (stage.gate === undefined) return;
    this.run = askingGate(this.run, stage);
    this.ask(stage, { stageId: stage.id }, { id: GATE_ASK_ID, ...stage.gate });
  }

  private open(stage: Stage): void {
    this.layOut(stage, () => openStage(this.run, stage));
  }

  /** Elements come from what another stage made: that there are none to be had is no slip of ours. */
  private layOut(stage: Stage, opened: () => PipelineRun): void {
    try {
      this.run = opened();
    } catch (error) {
      if (!(error instanceof ElementsError)) throw error;
      throw noElements(stage, error.message);
    }
    const source = own(this.run.stages, sourceOf(stage.forEach ?? ''))?.envelope;
    const isLeft = own(this.run.stages, stage.id)?.step === 'laying-out';
    if (isLeft && source !== undefined) this.runs.layOut(stage, source);
    else this.showStarted(stage);
  }

  private showStarted(stage: Stage): void {
    const elements = own(this.run.stages, stage.id)?.elements.length ?? 0;
    this.showStage(stage.id, { stageState: 'started', ...(stage.forEach !== undefined && { of: elements }) });
  }

  private close(stage: Stage): void {
    this.run = closeStage(this.run, stage);
    if (own(this.run.stages, stage.id)?.step === 'joining') this.runs.join(stage, this.run);
    else this.showCompleted(stage);
  }

  private showCompleted(stage: Stage): void {
    // A plain skill has one stage: its end is the task's, which is said anyway.
    if (!this.input.publication.plain) this.showStage(stage.id, { stageState: 'completed' });
  }

  private start(stage: Stage, ref: RunRef, sideBySide: number): void {
    const { followUps } = elementOf(this.run, ref);
    this.run = withElement(this.run, ref, { phase: 'running', followUpsRead: followUps.length });
    this.hasMoved = true;
    const { plain } = this.input.publication;
    const shownBytes = plain ? shownBytesOf(this.task.view.task.artifacts) : {};
    this.runs.run(stage, ref, this.run, { sideBySide, shownBytes });
  }

  private takeEnded(): void {
    for (const ended of this.runs.take()) {
      const { stage } = ended;
      if (ended.did === 'run') this.takeRun(ended);
      else if (ended.did === 'lay-out') this.takeElements(stage, ended.laidOut);
      else {
        this.run = joinStage(this.run, stage, ended.envelope);
        this.showCompleted(stage);
      }
    }
  }

  private takeRun({ stage, ref, workedMs, outcome }: Extract<Ended, { did: 'run' }>): void {
    const before = elementOf(this.run, ref);
    this.run = withElement(this.run, ref, { workedMs: before.workedMs + workedMs });
    this.takeOutcome(stage, ref, outcome);
  }

  private takeElements(stage: Stage, laidOut: LaidOut): void {
    if ('problem' in laidOut) throw noElements(stage, laidOut.problem);
    this.run = layOutStage(this.run, stage, laidOut.elements);
    this.showStarted(stage);
  }

  private takeOutcome(stage: Stage, ref: RunRef, outcome: StageOutcome): void {
    const { followUps, followUpsRead, turn } = elementOf(this.run, ref);
    const isEnd = outcome.outcome === 'envelope' || outcome.outcome === 'reply';
    if (isEnd && followUps.length > followUpsRead) {
      this.run = withElement(this.run, ref, { phase: 'ready', turn: turn + 1 });
      return;
    }
    switch (outcome.outcome) {
      case 'envelope':
        this.run = withElement(this.run, ref, { phase: 'done', envelope: outcome.envelope });
        this.isAnswered = outcome.isAnswered ?? false;
        this.task.record({ type: 'run-closed', ...ref });
        if (ref.element !== undefined) this.showElements(stage, ref.element);
        return;
      case 'ask':
        this.run = withElement(this.run, ref, { phase: 'asking' });
        this.ask(stage, ref, outcome.ask);
        return;
      case 'auth-required':
        this.run = withElement(this.run, ref, { phase: 'authorizing', authorization: outcome.message });
        this.showStage(stage.id, {
          ...(ref.element !== undefined && { element: ref.element }),
          stageState: 'authorizing',
        });
        return;
      case 'rejected':
        throw new TaskFailedError(
          { reason: 'rejected', text: outcome.message, detail: `Stage ${stage.id} rejected the task` },
          'TASK_STATE_REJECTED',
        );
      case 'reply':
        this.reply(stage, ref, outcome.parts);
    }
  }

  private reply(stage: Stage, ref: RunRef, parts: readonly Part[]): void {
    if (!this.input.publication.plain) {
      const text = `Stage ${stage.id} answered with a message: only a plain skill may`;
      throw new TaskFailedError({ reason: 'output-invalid', text: `Stage ${stage.id} failed`, detail: text });
    }
    const { contextId, taskId } = this.input;
    const messageId = `reply-${taskId}`;
    this.run = withElement(this.run, ref, {
      phase: 'done',
      envelope: { summary: textOf({ parts }), artifacts: [] },
    });
    this.task.record({ type: 'reply', message: { messageId, contextId, role: 'ROLE_AGENT', parts } });
  }

  private ask(stage: Stage, ref: RunRef, ask: Ask): void {
    const callerAnswerable = stage.callerAnswerable && ask.kind === 'free_text';
    const { plain, questionsTo } = this.input.publication;
    const question: Question = {
      requestId: requestIdOf(this.input.taskId, uuid4().replaceAll('-', '')),
      ...ref,
      askId: ask.id,
      kind: ask.kind,
      message: ask.message,
      callerAnswerable,
      shown: callerAnswerable || (plain && questionsTo === 'operator'),
      askedAt: this.task.place().at,
    };
    this.task.record({ type: 'asked', question });
    this.showStage(stage.id, {
      ...(ref.element !== undefined && { element: ref.element }),
      stageState: 'asking',
      asks: question.shown && callerAnswerable ? 'caller' : 'operator',
    });
  }

  private takeMessages(): void {
    for (const signal of this.task.view.inbox) {
      const { view } = this.task;
      const taken = takeMessage(signal, { questions: view.questions, pipeline: this.pipeline, run: this.run });
      if (taken.outcome === 'answered') this.task.record({ type: 'settled', requestId: taken.question.requestId });
      this.task.record({ type: 'receipt', receipt: receiptOf(signal, taken) });
      if (taken.outcome === 'answered') this.answer(taken.question, taken.answer);
      if (taken.outcome === 'queued' && 'message' in signal) {
        for (const ref of taken.runs) this.followUp(ref, signal.message);
      }
    }
  }

  private answer(question: Question, answer: Answer): void {
    const stage = this.pipeline.stages.find(({ id }) => id === question.stageId);
    if (stage === undefined) return;
    const isGate = own(this.run.stages, stage.id)?.gate === 'asking';
    if (isGate && isRejection(answer)) {
      const text = `Stage ${stage.id} was not approved`;
      throw new TaskFailedError({ reason: 'gate-rejected', text, detail: text });
    }
    this.showStage(stage.id, {
      ...(question.element !== undefined && { element: question.element }),
      stageState: 'answered',
    });
    if (isGate) {
      if (stage.executor === undefined) {
        this.run = passGate(this.run, stage, answer);
        this.showStage(stage.id, { stageState: 'completed' });
      } else {
        this.layOut(stage, () => passGate(this.run, stage, answer));
      }
      return;
    }
    const element = elementOf(this.run, question);
    const answers: Record<string, Json> = { ...element.answers, [question.askId]: answerValue(answer) };
    this.run = withElement(this.run, question, { phase: 'ready', turn: element.turn + 1, answers });
  }

  private followUp(ref: RunRef, message: Message): void {
    const element = elementOf(this.run, ref);
    const followUps = [...element.followUps, message];
    const isAwaited = element.phase === 'authorizing';
    this.run = withElement(this.run, ref, {
      followUps,
      ...(isAwaited && { phase: 'ready', turn: element.turn + 1 }),
    });
    if (isAwaited) this.showStage(ref.stageId, { stageState: 'answered' });
  }

  private showElements(stage: Stage, element: number): void {
    const elements = own(this.run.stages, stage.id)?.elements ?? [];
    const done = elements.filter(({ phase }) => phase === 'done').length;
    this.showStage(stage.id, { element, stageState: 'element-completed', done, of: elements.length });
  }

  /** What a watcher sees of a stage. A question, or a demand for authorisation, stays in sight while others go on. */
  private showStage(stageId: string, metadata: JsonObject): void {
    this.task.recordStatus(openStatus(this.task.place(), this.task.view, this.run), { stage: stageId, ...metadata });
  }

  private complete(): void {
    const { publication } = this.input;
    const envelope = own(this.run.stages, publication.results.stage)?.envelope;
    if (envelope === undefined || isEnvelopeRef(envelope))
      throw new RangeError(`no result of stage ${publication.results.stage}`);
    const { view } = this.task;
    if (view.reply === undefined) {
      const shown = new Set(view.task.artifacts.map(({ artifactId }) => artifactId));
      const { artifacts, text } = taskResult(publication, envelope, { shown, isAnswered: this.isAnswered });
      for (const artifact of artifacts) this.task.record({ type: 'artifact', artifact });
      this.end(statusWithText(this.task.place(), 'TASK_STATE_COMPLETED', text));
    } else {
      this.end({ ...statusWithText(this.task.place(), 'TASK_STATE_COMPLETED'), message: view.reply });
    }
  }
}

function noElements(stage: Stage, problem: string): TaskFailedError {
  const text = `Stage ${stage.id}: ${problem}`;
  return new TaskFailedError({ reason: 'output-invalid', text, detail: text });
}
