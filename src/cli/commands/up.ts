import type { Command } from 'commander';
import type { ServerFlags } from '../flags.ts';
import { addServerFlags } from '../flags.ts';
import type { RunCommand } from '../run-command.ts';

export function registerUp(program: Command, run: RunCommand): void {
  addServerFlags(program.command('up'))
    .description('runs everything on this machine: Temporal, a gateway and a worker')
    .action(
      run(async (output, flags: ServerFlags) => {
        // The servers' packages take a second to load, which the client commands do not wait for.
        const { runUp } = await import('../server/run-up.ts');
        return runUp(output, flags);
      }),
    );
}
