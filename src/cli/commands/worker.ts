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

export function registerWorker(program: Command, run: RunCommand): void {
  addServerFlags(program.command('worker'))
    .description('runs the stages of tasks: one of any number of workers on the same Temporal and folders')
    .action(
      run(async (output, flags: ServerFlags) => {
        const config = await parseConfig({ env: process.env, flags, cwd: process.cwd(), role: 'worker' });
        await readSecret(config.dataDirectory, process.env);
        const temporalAddress = temporalAddressOf(config);
        const logger = createLogger({ level: logLevel(process.env), name: 'longhaul-worker' });
        logWarnings(logger);
        using stop = listenForStop();
        const { waitForTemporal } = await import('../server/wait-for-temporal.ts');
        if (!(await waitForTemporal(temporalAddress, stop, logger))) return EXIT.ok;

        const { startWorker } = await import('../../worker.ts');
        await using worker = await startWorker(config, { temporalAddress, logger });
        const { namespace, taskQueue } = config.temporal;
        output.json({ temporalAddress, namespace, taskQueue, pid: process.pid });
        output.say(`Working on task queue "${taskQueue}" of namespace "${namespace}" at ${temporalAddress}`);
        logger.info({ temporalAddress, namespace, taskQueue }, 'The worker runs');
        const signal = await Promise.race([stop.requested, worker.broken]);
        logger.info({ signal }, 'Stopping; what runs is given back to Temporal');
        return EXIT.ok;
      }),
    );
}
