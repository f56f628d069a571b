import type { Command } from 'commander';
import type { DemoFlags } from '../demo/demo.ts';
import { addCommonFlags } from '../flags.ts';
import type { RunCommand } from '../run-command.ts';

const QUESTION = 'How do I keep a Temporal activity from running twice, and how are its retries limited?';

export function registerDemo(program: Command, run: RunCommand): void {
  addCommonFlags(program.command('demo'))
    .description('runs a research task from its question to its report, and shows every step')
    .argument('[question...]', 'what to research in the documentation of the installed packages')
    .option('--kill', 'kill gateway and worker (SIGKILL) in the middle, and show that the task goes on')
    .option('--interactive', 'answer the questions yourself')
    .option('--keep', 'keep everything running at the end, until Ctrl-C')
    .action(
      run(async (output, words: string[], flags: DemoFlags) => {
        const { demo } = await import('../demo/demo.ts');
        return demo(words.join(' ') || QUESTION, flags, output);
      }),
    );
}
