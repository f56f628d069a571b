import type { Command } from 'commander';
import { parseConfig } from '../../config/parse-config.ts';
import { createLogger } from '../../observability/logger.ts';
import { EXIT } from '../exit-codes.ts';
import type { ServerFlags } from '../flags.ts';
import { addServerFlags } from '../flags.ts';
import type { RunCommand } from '../run-command.ts';
import { logLevel, logWarnings } from '../server/log-to-file.ts';
import { readSecret } from '../server/secret.ts';
import { listenForStop } from '../server/stop-signal.ts';
import { temporalAddressOf } from '../server/temporal-address.ts';

export function registerGateway(program: Command, run: RunCommand): void {
  addServerFlags(program.command('gateway'))
    .description('answers over HTTP: one of any number of gateways on the same Temporal and folders')
    .action(
      run(async (output, flags: ServerFlags) => {
        const config = await parseConfig({ env: process.env, flags, cwd: process.cwd() });
        await readSecret(config.dataDirectory, process.env);
        const temporalAddress = temporalAddressOf(config);
        const logger = createLogger({ level: logLevel(process.env), name: 'longhaul-gateway' });
        logWarnings(logger);
        using stop = listenForStop();

        const { startGateway } = await import('../../gateway.ts');
        await using gateway = await startGateway(config, { temporalAddress, logger });
        const { url, operatorUrl } = gateway;
        output.json({ url, operatorUrl, temporalAddress, pid: process.pid });
        output.say(`A2A at ${url}/a2a, operators at ${operatorUrl}`);
        logger.info({ url, operatorUrl, temporalAddress }, 'The gateway answers');
        const signal = await stop.requested;
        logger.info({ signal }, 'Stopping; requests under way may end, tasks go on');
        return EXIT.ok;
      }),
    );
}
