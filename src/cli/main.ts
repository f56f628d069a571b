/** The command `longhaul`: registers its subcommands, and leaves the exit code that docs/cli.md promises. */
import { readFileSync } from 'node:fs';
import { CommanderError, Command } from 'commander';
import { registerAnswer } from './commands/answer.ts';
import { registerCancel } from './commands/cancel.ts';
import { registerDemo } from './commands/demo.ts';
import { registerGateway } from './commands/gateway.ts';
import { registerGet } from './commands/get.ts';
import { registerInit } from './commands/init.ts';
import { registerList } from './commands/list.ts';
import { registerPending } from './commands/pending.ts';
import { registerSetup } from './commands/setup.ts';
import { registerSubmit } from './commands/submit.ts';
import { registerUp } from './commands/up.ts';
import { registerWatch } from './commands/watch.ts';
import { registerWorker } from './commands/worker.ts';
import { commandName } from './command-name.ts';
import { EXIT } from './exit-codes.ts';
import { packageRoot } from '../process/package-root.ts';
import { createRunCommand } from './run-command.ts';

const EXIT_GRACE_MS = 5_000;

const SERVERS = [registerUp, registerInit, registerDemo, registerGateway, registerWorker, registerSetup];
const CLIENTS = [
  registerSubmit,
  registerWatch,
  registerGet,
  registerList,
  registerAnswer,
  registerCancel,
  registerPending,
];

async function main(argv: readonly string[]): Promise<void> {
  const isJson = argv.includes('--json');
  const { version } = JSON.parse(readFileSync(`${packageRoot()}/package.json`, 'utf8')) as { version: string };
  const program = new Command('longhaul')
    .description('Long-running tasks over A2A that survive every restart, on Temporal.')
    .version(version)
    .showHelpAfterError(`"${commandName()} help <command>" says more.`)
    .configureOutput({ writeErr: (text) => process.stderr.write(isJson ? usageAsJson(text) : text) })
    .exitOverride();

  const run = createRunCommand((code) => {
    process.exitCode = code;
    // What an executor, or a worker that broke down, has left open must not keep a command alive that is over: whoever
    // watches over the process would never start it again. Without such a rest the process ends by itself, before this.
    setTimeout(() => process.exit(), EXIT_GRACE_MS).unref();
  });
  program.commandsGroup('Run it:');
  for (const register of SERVERS) register(program, run);
  program.commandsGroup('Use it:');
  for (const register of CLIENTS) register(program, run);

  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander has said what is wrong; it gives up with 0 after help and version.
    process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
}

function usageAsJson(text: string): string {
  const message = text.replace(/^error: /, '').trim();
  return message.startsWith(`"${commandName()} help`) || message === ''
    ? ''
    : `${JSON.stringify({ error: { code: 'usage', message } })}\n`;
}

await main(process.argv.slice(2));
