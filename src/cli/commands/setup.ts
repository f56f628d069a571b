import type { Command } from 'commander';
import type { ServerFlags } from '../flags.ts';
import { addServerFlags } from '../flags.ts';
import type { RunCommand } from '../run-command.ts';

export function registerSetup(program: Command, run: RunCommand): void {
  addServerFlags(program.command('setup'))
    .description("prepares Temporal's namespace and the shared folders for gateways and workers")
    .action(
      run(async (output, flags: ServerFlags) => {
        const { runSetup } = await import('../server/run-setup.ts');
        return runSetup(output, flags);
      }),
    );
}
