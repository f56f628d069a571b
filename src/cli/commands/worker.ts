import type { Command } from 'commander';
import type { ServerFlags } from '../flags.ts';
import { addServerFlags } from '../flags.ts';
import type { RunCommand } from '../run-command.ts';

export function registerWorker(program: Command, run: RunCommand): void {
  addServerFlags(program.command('worker'))
    .description('runs the stages of tasks: one of any number of workers on the same Temporal and folders')
    .action(
      run(async (output, flags: ServerFlags) => {
        const { runWorker } = await import('../server/run-worker.ts');
        return runWorker(output, flags);
      }),
    );
}
