import type { Command } from 'commander';
import { openTarget } from '../client/target.ts';
import { EXIT } from '../exit-codes.ts';
import type { ClientFlags } from '../flags.ts';
import { addClientFlags } from '../flags.ts';
import type { RunCommand } from '../run-command.ts';
import { describeTask } from '../view/describe-task.ts';

export function registerCancel(program: Command, run: RunCommand): void {
  addClientFlags(program.command('cancel'))
    .description('stops a task and its work')
    .argument('<task>', 'ID of the task')
    .action(
      run(async (output, taskId: string, flags: ClientFlags) => {
        const { a2a } = await openTarget(flags);
        const task = await a2a.cancelTask(taskId);
        output.json(task);
        describeTask(task, output);
        return EXIT.ok;
      }),
    );
}
