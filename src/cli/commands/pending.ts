import type { Command } from 'commander';
import type { PendingQuestion } from '../client/operator-client.ts';
import { openTarget } from '../client/target.ts';
import { commandName } from '../command-name.ts';
import { EXIT } from '../exit-codes.ts';
import type { ClientFlags } from '../flags.ts';
import { addClientFlags } from '../flags.ts';
import type { Output } from '../output.ts';
import type { RunCommand } from '../run-command.ts';
import { safe } from '../view/words.ts';

export function registerPending(program: Command, run: RunCommand): void {
  addClientFlags(program.command('pending'))
    .description('lists every question that waits for a human (operators)')
    .action(
      run(async (output, flags: ClientFlags) => {
        const { operator } = await openTarget(flags);
        const questions = await operator.pending();
        output.json({ questions });
        if (questions.length === 0) output.say('Nothing waits for an answer.');
        for (const question of questions) describeQuestion(question, output);
        return EXIT.ok;
      }),
    );
}

function describeQuestion(question: PendingQuestion, output: Output): void {
  const { colors } = output;
  const { stageId, element } = question;
  const asker = element === undefined ? stageId : `${stageId} ${element + 1}`;
  output.say(`${colors.bold(question.taskId)}  ${asker} asks (${question.kind}) since ${question.askedAt}`);
  output.say(`  ${safe(question.message).replaceAll('\n', '\n  ')}`);
  const answer = question.kind === 'confirm' ? 'accept|reject' : "'<your answer>'";
  output.say(colors.dim(`  ${commandName()} answer --operator ${question.requestId} ${answer}`));
}
