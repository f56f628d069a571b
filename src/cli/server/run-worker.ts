import { dirname } from 'node:path';
import { parseConfig } from '../../config/parse-config.ts';
import { createLogger } from '../../observability/logger.ts';
import { EXIT } from '../exit-codes.ts';
import type { ServerFlags } from '../flags.ts';
import { checkExecutors } from '../../process/check-executors.ts';
import { logLevel, logWarnings } from './log-to-file.ts';
import { readSecret } from './secret.ts';
import { listenForStop } from './stop-signal.ts';
import { temporalAddressOf } from './temporal-address.ts';
import { waitForTemporal } from './wait-for-temporal.ts';
import { startWorker } from '../../worker.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';

/** Until it is asked to stop. */
export async function runWorker(output: Output, flags: ServerFlags): Promise<ExitCode> {
  const config = await parseConfig({ env: process.env, flags, cwd: process.cwd(), role: 'worker' });
  const secret = await readSecret(config.dataDirectory, process.env);
  const temporalAddress = temporalAddressOf(config);
  const logger = createLogger({ level: logLevel(process.env), name: 'longhaul-worker' });
  logWarnings(logger);
  // Before the wait for Temporal: what is wrong here is told at once.
  await checkExecutors(config.service.publications, dirname(config.configPath));
  using stop = listenForStop();
  if (!(await waitForTemporal(temporalAddress, stop, logger))) return EXIT.ok;

  await using worker = await startWorker(config, { temporalAddress, secret, logger });
  const { namespace, taskQueue } = config.temporal;
  output.json({ temporalAddress, namespace, taskQueue, pid: process.pid });
  output.say(`Working on task queue "${taskQueue}" of namespace "${namespace}" at ${temporalAddress}`);
  logger.info({ temporalAddress, namespace, taskQueue }, 'The worker runs');
  const signal = await Promise.race([stop.requested, worker.broken]);
  logger.info({ signal }, 'Stopping; what runs is given back to Temporal');
  return EXIT.ok;
}
