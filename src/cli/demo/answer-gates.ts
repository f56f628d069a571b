import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { PendingQuestion } from '../client/operator-client.ts';
import type { Target } from '../client/target.ts';
import { CommandError } from '../command-error.ts';
import { EXIT } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import type { TaskProgress } from '../view/task-progress.ts';
import { safe, wrap } from '../view/words.ts';
import { toDecision } from '../commands/answer.ts';

/** What the demo says at the two gates when it answers by itself. */
const CALLER_ANSWER = '@temporalio/common, @temporalio/activity, @temporalio/client, @temporalio/workflow';
const OPERATOR_ANSWER = 'accept';

const LISTED_WITHIN_MS = 20_000;
const POLL_MS = 250;

export interface GateOptions {
  readonly taskId: string;
  readonly target: Target;
  readonly output: Output;
  readonly isInteractive: boolean;
}

/** Answers each gate once, as it comes up: the caller's over A2A, the operator's over the operator API. */
export function createGateAnswerer({ taskId, target, output, isInteractive }: GateOptions) {
  const answered = new Set<string>();

  async function answerCaller(text: string): Promise<void> {
    showQuestion('The caller is asked (INPUT_REQUIRED), and answers with an A2A message:', text, output);
    const answer = await decide(CALLER_ANSWER);
    await target.a2a.send({ messageId: randomUUID(), role: 'ROLE_USER', taskId, parts: [{ text: answer }] });
  }

  async function answerOperator(): Promise<void> {
    const question = await findQuestion();
    showQuestion(
      'An operator is asked (the caller sees WORKING), and answers with POST /api/a2a/input:',
      question.message,
      output,
    );
    const answer = toDecision(await decide(OPERATOR_ANSWER));
    await target.operator.answer(question.requestId, answer);
  }

  async function decide(own: string): Promise<string> {
    const { bold, yellow } = output.colors;
    if (!isInteractive) {
      output.say(`  ${yellow('>')} ${bold(own)}\n`);
      return own;
    }
    const prompt = createInterface({ input: process.stdin, output: process.stdout });
    const interrupted = new AbortController();
    prompt.on('SIGINT', () => interrupted.abort()); // the prompt keeps Ctrl-C to itself
    try {
      const given = (await prompt.question(`  ${yellow('>')} [${own}] `, { signal: interrupted.signal })).trim();
      return given === '' ? own : given;
    } catch (error) {
      throw new CommandError(EXIT.interrupted, 'interrupted', 'Interrupted at a question.', { cause: error });
    } finally {
      prompt.close();
      output.say();
    }
  }

  /** The list is as fresh as Temporal's visibility: a moment behind. */
  async function findQuestion(): Promise<PendingQuestion> {
    const deadline = Date.now() + LISTED_WITHIN_MS;
    while (Date.now() < deadline) {
      const question = (await target.operator.pending()).find((each) => each.taskId === taskId);
      if (question !== undefined) return question;
      await delay(POLL_MS);
    }
    throw new CommandError(EXIT.failed, 'no-question', 'The operator API does not list the open question.');
  }

  return function gateOf({ question, stages }: TaskProgress): (() => Promise<void>) | undefined {
    const key = question?.requestId ?? stages.find(({ asks }) => asks === 'operator')?.id;
    if (key === undefined || answered.has(key)) return undefined;
    answered.add(key);
    return question === undefined ? answerOperator : () => answerCaller(question.text);
  };
}

function showQuestion(title: string, text: string, output: Output): void {
  const { dim } = output.colors;
  output.say(`\n${title}`);
  output.say(`  ${dim('?')} ${wrap(safe(text), output.columns - 5).join('\n    ')}`);
}
