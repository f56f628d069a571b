import type { Command } from 'commander';
import type { ServerFlags } from '../flags.ts';
import { addServerFlags } from '../flags.ts';
import type { RunCommand } from '../run-command.ts';

export function registerGateway(program: Command, run: RunCommand): void {
  addServerFlags(program.command('gateway'))
    .description('answers over HTTP: one of any number of gateways on the same Temporal and folders')
    .action(
      run(async (output, flags: ServerFlags) => {
        const { runGateway } = await import('../server/run-gateway.ts');
        return runGateway(output, flags);
      }),
    );
}
