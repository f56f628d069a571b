import type { Command } from 'commander';
import { parseConfig } from '../../config/parse-config.ts';
import { EXIT } from '../exit-codes.ts';
import type { ServerFlags } from '../flags.ts';
import { addServerFlags } from '../flags.ts';
import type { RunCommand } from '../run-command.ts';
import { temporalAddressOf } from '../server/temporal-address.ts';

export function registerSetup(program: Command, run: RunCommand): void {
  addServerFlags(program.command('setup'))
    .description("prepares Temporal's namespace and the shared folders for gateways and workers")
    .action(
      run(async (output, flags: ServerFlags) => {
        const config = await parseConfig({ env: process.env, flags, cwd: process.cwd(), role: 'worker' });
        const address = temporalAddressOf(config);
        const { namespace } = config.temporal;
        output.note(`Setting up namespace "${namespace}" at ${address}`);
        const { setUp } = await import('../server/set-up.ts');
        await setUp(config, address);
        output.json({ temporalAddress: address, namespace, ...config.storage });
        output.say(`Namespace "${namespace}" and its search attributes are ready.`);
        output.say(`Stores: ${config.storage.payloadsDirectory}, ${config.storage.artifactsDirectory}`);
        return EXIT.ok;
      }),
    );
}
