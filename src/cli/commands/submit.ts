import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import type { Message, Part } from '../../domain/a2a.ts';
import { textOf } from '../../domain/a2a.ts';
import type { Json } from '../../domain/json.ts';
import type { Target } from '../client/target.ts';
import { openTarget } from '../client/target.ts';
import { CommandError } from '../command-error.ts';
import { commandName } from '../command-name.ts';
import { EXIT } from '../exit-codes.ts';
import type { ClientFlags } from '../flags.ts';
import { addClientFlags } from '../flags.ts';
import type { RunCommand } from '../run-command.ts';
import { nextSteps } from '../view/describe-task.ts';
import { watchTask } from '../view/watch-task.ts';
import { safe, stateWord } from '../view/words.ts';

interface SubmitFlags extends ClientFlags {
  readonly skill?: string;
  readonly data?: string;
  readonly context?: string;
  readonly id?: string;
  readonly wait?: boolean;
  readonly watch?: boolean;
}

export function registerSubmit(program: Command, run: RunCommand): void {
  addClientFlags(program.command('submit'))
    .description('starts a task')
    .argument('[text...]', 'what to do; "-" reads it from standard input')
    .option('--skill <id>', 'the publication to use')
    .option('--data <json>', 'a data part to send')
    .option('--context <id>', 'contextId of the conversation that it belongs to')
    .option('--id <message>', 'ID of the message: sent again with the same one, it starts nothing new')
    .option('--wait', 'wait for the end, or for a question (exit code 3), and print the task')
    .option('--watch', 'the same, showing every step')
    .action(
      run(async (output, words: string[], flags: SubmitFlags) => {
        const message = await toMessage(words, flags);
        const target = await openTarget(flags);
        const sent = await send(message, target);
        if ('message' in sent) {
          output.json(sent);
          output.say(safe(textOf(sent.message)));
          return EXIT.ok;
        }
        const { task } = sent;
        if (flags.watch === true || flags.wait === true) {
          if (flags.watch !== true) output.note(`${task.id}: waiting for it to end, or to ask`);
          return watchTask(task.id, target, output, { untilAsked: true, isQuiet: flags.watch !== true });
        }
        output.json({ ...sent, messageId: message.messageId });
        output.say(`${output.colors.bold(task.id)}  ${stateWord(task.status.state, output.colors)}`);
        for (const line of nextSteps(task)) output.say(output.colors.dim(line));
        return EXIT.ok;
      }),
    );
}

async function toMessage(words: readonly string[], flags: SubmitFlags): Promise<Message> {
  const text = words.length === 1 && words[0] === '-' ? await readAll(process.stdin) : words.join(' ');
  const parts: Part[] = [
    ...(text.trim() === '' ? [] : [{ text }]),
    ...(flags.data === undefined ? [] : [{ data: parseData(flags.data), mediaType: 'application/json' }]),
  ];
  if (parts.length === 0) {
    throw new CommandError(EXIT.usage, 'usage', 'There is nothing to submit.', {
      next: `Say what to do, as in: ${commandName()} submit 'How do retries work?'`,
    });
  }
  return {
    messageId: flags.id ?? randomUUID(),
    role: 'ROLE_USER',
    parts,
    ...(flags.context !== undefined && { contextId: flags.context }),
    ...(flags.skill !== undefined && { metadata: { skillHint: flags.skill } }),
  };
}

function parseData(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new CommandError(EXIT.usage, 'usage', `--data is no JSON: ${(error as Error).message}`, { cause: error });
  }
}

/** After a send that got no answer nobody knows whether the task runs: the same message again is safe. */
async function send(message: Message, { a2a }: Target): ReturnType<Target['a2a']['send']> {
  try {
    return await a2a.send(message);
  } catch (error) {
    if (!(error instanceof CommandError) || error.exitCode !== EXIT.unavailable) throw error;
    const { exitCode, code, message: text, next = '' } = error;
    throw new CommandError(exitCode, code, text, {
      next: `${next} Sent again with --id ${message.messageId} it runs once, whether or not it has arrived.`.trim(),
      cause: error,
    });
  }
}

async function readAll(stream: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
