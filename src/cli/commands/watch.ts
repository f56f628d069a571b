import type { Command } from 'commander';
import { openTarget } from '../client/target.ts';
import type { ClientFlags } from '../flags.ts';
import { addClientFlags } from '../flags.ts';
import type { RunCommand } from '../run-command.ts';
import { watchTask } from '../view/watch-task.ts';

export function registerWatch(program: Command, run: RunCommand): void {
  addClientFlags(program.command('watch'))
    .description('shows a task live, to its end, over cut connections and restarts')
    .argument('<task>', 'ID of the task')
    .option('--until-asked', 'stop when the task asks its caller something (exit code 3)')
    .action(
      run(async (output, taskId: string, flags: ClientFlags & { untilAsked?: boolean }) =>
        watchTask(taskId, await openTarget(flags), output, { untilAsked: flags.untilAsked ?? false }),
      ),
    );
}
