import type { Command } from 'commander';
import { addServerFlags } from '../flags.ts';
import type { RunCommand } from '../run-command.ts';
import type { SetupFlags } from '../server/run-setup.ts';

export function registerSetup(program: Command, run: RunCommand): void {
  addServerFlags(program.command('setup'))
    .description("prepares Temporal's namespace and the shared folders for gateways and workers")
    .option('--replace-stores', 'use these folders in place of recorded ones that are gone for good')
    .action(
      run(async (output, flags: SetupFlags) => {
        const { runSetup } = await import('../server/run-setup.ts');
        return runSetup(output, flags);
      }),
    );
}
