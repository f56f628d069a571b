import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { taskIdOfRequest } from '../../domain/request-id.ts';
import type { PendingQuestion } from '../client/operator-client.ts';
import type { Target } from '../client/target.ts';
import { openTarget } from '../client/target.ts';
import { CommandError } from '../command-error.ts';
import { commandName } from '../command-name.ts';
import type { ExitCode } from '../exit-codes.ts';
import { EXIT } from '../exit-codes.ts';
import type { ClientFlags } from '../flags.ts';
import { addClientFlags } from '../flags.ts';
import type { Output } from '../output.ts';
import type { RunCommand } from '../run-command.ts';
import { describeTask } from '../view/describe-task.ts';

interface AnswerFlags extends ClientFlags {
  readonly operator?: boolean;
  readonly id?: string;
}

export function registerAnswer(program: Command, run: RunCommand): void {
  addClientFlags(program.command('answer'))
    .description('answers a question of a task, as its caller or, with --operator, as an operator')
    .argument('<task-or-request>', 'ID of the task, or of the question')
    .argument('<text...>', 'the answer; accept or reject (and why) where a decision is asked')
    .option('--operator', 'answer as an operator, through the operator listener')
    .option('--id <message>', 'ID of the message, to send the same answer again')
    .action(
      run(async (output, target: string, words: string[], flags: AnswerFlags) => {
        const opened = await openTarget(flags);
        const text = words.join(' ');
        return flags.operator === true
          ? answerAsOperator(target, text, opened, output)
          : answerAsCaller(target, text, flags.id ?? randomUUID(), opened, output);
      }),
    );
}

async function answerAsCaller(
  taskOrRequest: string,
  text: string,
  messageId: string,
  { a2a }: Target,
  output: Output,
): Promise<ExitCode> {
  const asked = taskIdOfRequest(taskOrRequest);
  const sent = await a2a.send({
    messageId,
    role: 'ROLE_USER',
    taskId: asked ?? taskOrRequest,
    parts: [{ text }],
    ...(asked !== undefined && { metadata: { requestId: taskOrRequest } }),
  });
  output.json(sent);
  if ('message' in sent) return EXIT.ok;
  output.say('Answered.');
  describeTask(sent.task, output);
  return EXIT.ok;
}

async function answerAsOperator(
  taskOrRequest: string,
  text: string,
  { operator }: Target,
  output: Output,
): Promise<ExitCode> {
  const questions = await operator.pending();
  const known = questions.find(({ requestId }) => requestId === taskOrRequest);
  // The list may lag behind a question that was just asked; its ID is enough to answer it.
  const requestId =
    known?.requestId ??
    (taskIdOfRequest(taskOrRequest) === undefined ? theOne(taskOrRequest, questions) : taskOrRequest);
  const { kind } = questions.find((question) => question.requestId === requestId) ?? {};
  const result = await operator.answer(requestId, kind === 'confirm' ? toDecision(text) : text);
  output.json(result);
  output.say('Answered.');
  return EXIT.ok;
}

/** The open question of a task that was named instead of one. */
function theOne(taskId: string, questions: readonly PendingQuestion[]): string {
  const open = questions.filter((question) => question.taskId === taskId);
  const [only] = open;
  if (only === undefined) {
    throw new CommandError(EXIT.notFound, 'not-found', `No question of "${taskId}" is open.`, {
      next: `"${commandName()} pending" lists those that are.`,
    });
  }
  if (open.length > 1) {
    throw new CommandError(EXIT.usage, 'several-questions', `Several questions of "${taskId}" are open.`, {
      next: `Name one of them: ${open.map(({ requestId }) => requestId).join(', ')}`,
    });
  }
  return only.requestId;
}

export function toDecision(text: string): { kind: 'confirm'; decision: 'accept' | 'reject'; text?: string } {
  const [, word = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(text.trim()) ?? [];
  const decision = ({ accept: 'accept', yes: 'accept', reject: 'reject', no: 'reject' } as const)[word.toLowerCase()];
  if (decision === undefined) {
    throw new CommandError(EXIT.usage, 'usage', `A decision is asked, and "${text}" is none.`, {
      next: 'Answer with accept or reject; words that follow go with it.',
    });
  }
  return { kind: 'confirm', decision, ...(rest !== '' && { text: rest }) };
}
