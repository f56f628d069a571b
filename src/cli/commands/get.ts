import type { Command } from 'commander';
import { openTarget } from '../client/target.ts';
import type { ClientFlags } from '../flags.ts';
import { addClientFlags } from '../flags.ts';
import type { RunCommand } from '../run-command.ts';
import { describeTask, exitCodeOf } from '../view/describe-task.ts';

export function registerGet(program: Command, run: RunCommand): void {
  addClientFlags(program.command('get'))
    .description('shows where a task stands')
    .argument('<task>', 'ID of the task')
    .action(
      run(async (output, taskId: string, flags: ClientFlags) => {
        const { a2a } = await openTarget(flags);
        const task = await a2a.getTask(taskId);
        output.json(task);
        describeTask(task, output);
        return exitCodeOf(task);
      }),
    );
}
