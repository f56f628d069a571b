/** What becomes of a message to a task: pure, so that every case can stand in a table. */
import { textOf } from './a2a.ts';
import { own } from './own.ts';
import type { PipelineRun, RunRef } from './pipeline-run.ts';
import type { Pipeline } from './pipeline.ts';
import type { Answer, Question } from './question.ts';
import type { MessageSignal, Receipt, RefusalReason } from './task-log.ts';

export type Taken =
  | { readonly outcome: 'answered'; readonly question: Question; readonly answer: Answer }
  /** Goes to every run that takes follow-ups. */
  | { readonly outcome: 'queued'; readonly runs: readonly RunRef[] }
  | { readonly outcome: 'refused'; readonly reason: RefusalReason; readonly requestIds?: readonly string[] };

export function takeMessage(
  signal: MessageSignal,
  task: { questions: readonly Question[]; pipeline: Pipeline; run: PipelineRun },
): Taken {
  return 'answer' in signal ? takeAnswer(signal, task.questions) : takeText(signal, task);
}

function takeAnswer(signal: Extract<MessageSignal, { answer: Answer }>, questions: readonly Question[]): Taken {
  const question = questions.find(({ requestId }) => requestId === signal.requestId);
  if (question === undefined) return { outcome: 'refused', reason: 'stale-question' };
  if (signal.by === 'caller' && !question.callerAnswerable) return { outcome: 'refused', reason: 'not-answerable' };
  if (signal.answer.kind !== question.kind) return { outcome: 'refused', reason: 'wrong-answer-kind' };
  return { outcome: 'answered', question, answer: signal.answer };
}

function takeText(
  signal: Extract<MessageSignal, { message: unknown }>,
  { questions, pipeline, run }: { questions: readonly Question[]; pipeline: Pipeline; run: PipelineRun },
): Taken {
  const answerable = questions.filter(({ callerAnswerable }) => callerAnswerable);
  const [question] = answerable;
  if (question !== undefined) {
    return answerable.length === 1
      ? { outcome: 'answered', question, answer: { kind: 'free_text', text: textOf(signal.message) } }
      : {
          outcome: 'refused',
          reason: 'several-questions',
          requestIds: answerable.map(({ requestId }) => requestId),
        };
  }
  const runs = runsThatTake(pipeline, run);
  return runs.length === 0 ? { outcome: 'refused', reason: 'not-waiting' } : { outcome: 'queued', runs };
}

/** Runs that wait for the caller to authorise something, or that work in a stage with `follow_ups`. */
function runsThatTake(pipeline: Pipeline, run: PipelineRun): readonly RunRef[] {
  return pipeline.stages.flatMap((stage) =>
    (own(run.stages, stage.id)?.elements ?? []).flatMap((element, index) => {
      const takes = element.phase === 'authorizing' || (stage.followUps && element.phase !== 'done');
      if (!takes) return [];
      return [stage.forEach === undefined ? { stageId: stage.id } : { stageId: stage.id, element: index }];
    }),
  );
}

/** What the sender is told. */
export function receiptOf({ id, contentHash }: MessageSignal, taken: Taken): Receipt {
  switch (taken.outcome) {
    case 'answered':
      return { id, contentHash, outcome: 'answered', requestId: taken.question.requestId };
    case 'queued':
      return { id, contentHash, outcome: 'queued' };
    case 'refused':
      return { id, contentHash, ...taken };
  }
}
