import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Configuration } from '../../config/configuration.ts';
import { parseConfig } from '../../config/parse-config.ts';
import { startGateway } from '../../gateway.ts';
import { acquireFileLock } from '../../temporal/server/file-lock.ts';
import { findOrStartTemporal } from '../../temporal/server/find-or-start-temporal.ts';
import { createProgressPrinter } from '../../temporal/server/progress.ts';
import { startWorker } from '../../worker.ts';
import { CommandError } from '../command-error.ts';
import { commandName } from '../command-name.ts';
import type { ExitCode } from '../exit-codes.ts';
import { EXIT } from '../exit-codes.ts';
import type { ServerFlags } from '../flags.ts';
import type { Output } from '../output.ts';
import { checkExecutors } from '../../process/check-executors.ts';
import { createFileLogger, logWarnings } from './log-to-file.ts';
import { ensureSecret, readSecret } from './secret.ts';
import { setUp } from './set-up.ts';
import { listenForStop } from './stop-signal.ts';
import type { UpRecord } from './up-record.ts';
import { readUpRecord, writeUpRecord } from './up-record.ts';

/** Until it is asked to stop. */
export async function runUp(output: Output, flags: ServerFlags): Promise<ExitCode> {
  const config = await parseConfig({ env: process.env, flags, cwd: process.cwd() });
  const { dataDirectory } = config;
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  using stop = listenForStop();
  using _lock = await lockDataDirectory(dataDirectory);
  await ensureSecret(dataDirectory);
  const secret = await readSecret(dataDirectory, process.env);
  const { logger, path: logPath } = createFileLogger(dataDirectory, process.env);
  logWarnings(logger);

  // Before Temporal is started: what is wrong here is told at once.
  await checkExecutors(config.service.publications, dirname(config.configPath));

  const printProgress = createProgressPrinter(process.stderr);
  await using temporal = await findOrStartTemporal({
    ...(config.temporal.address !== undefined && { address: config.temporal.address }),
    dataDir: dataDirectory,
    durability: config.temporal.durability,
    ...(!output.isJson && { onProgress: printProgress }),
  });
  if (stop.isRequested()) return EXIT.interrupted;
  output.note(`Setting up namespace "${config.temporal.namespace}"`);
  await setUp(config, temporal.address);
  if (stop.isRequested()) return EXIT.interrupted;

  output.note('Starting the worker and the gateway');
  // In this order, so that the gateway is the first to stop: nothing new is taken while the worker hands back its work.
  await using worker = await startWorker(config, { temporalAddress: temporal.address, secret, logger });
  await using gateway = await startGateway(config, {
    temporalAddress: temporal.address,
    nativeConnection: worker.nativeConnection,
    secret,
    logger,
  });
  const record: UpRecord = {
    pid: process.pid,
    url: gateway.url,
    operatorUrl: gateway.operatorUrl,
    ...(gateway.grpcAddress !== undefined && { grpcAddress: gateway.grpcAddress }),
    temporalAddress: temporal.address,
    ...(temporal.uiUrl !== undefined && { temporalUiUrl: temporal.uiUrl }),
    namespace: config.temporal.namespace,
    configPath: config.configPath,
  };
  await using _record = await writeUpRecord(dataDirectory, record);
  output.json(record);
  sayWhatIsWhere(config, record, logPath, output);

  const signal = await Promise.race([stop.requested, worker.broken, gateway.broken]);
  logger.info({ signal }, 'Stopping; requests under way may end, tasks go on');
  output.note('\nStopping: running stages are handed back, and go on at the next start. Ctrl-C again ends at once.');
  return EXIT.ok;
}

/** @throws CommandError when another `up` runs on this folder. */
async function lockDataDirectory(dataDirectory: string): Promise<Disposable> {
  try {
    return await acquireFileLock(join(dataDirectory, 'up.lock'), { timeoutMs: 0, busyMessage: 'busy' });
  } catch (error) {
    if (!(error instanceof Error) || error.message !== 'busy') throw error;
    const record = await readUpRecord(dataDirectory);
    const where = record === undefined ? 'is starting or stopping' : `runs as process ${record.pid}, at ${record.url}`;
    throw new CommandError(EXIT.failed, 'already-up', `longhaul up ${where}, on ${dataDirectory}.`, {
      next: 'Use that one, stop it first, or choose another folder with --data-dir (and other ports).',
      cause: error,
    });
  }
}

function sayWhatIsWhere({ service }: Configuration, record: UpRecord, logPath: string, output: Output): void {
  const { bold, dim, green } = output.colors;
  const row = (name: string, value: string): void => output.say(`  ${dim(name.padEnd(12))} ${value}`);
  output.say();
  output.say(green('Longhaul is up.') + dim('  Ctrl-C stops it; tasks go on at the next start.'));
  row('A2A', `${record.url}/a2a`);
  if (record.grpcAddress !== undefined) row('A2A by gRPC', record.grpcAddress);
  row('operators', record.operatorUrl);
  row(
    'Temporal',
    `${record.temporalAddress}${record.temporalUiUrl === undefined ? '' : `   UI ${record.temporalUiUrl}/namespaces/${record.namespace}`}`,
  );
  row('log', logPath);
  row('offers', service.publications.map(({ id }) => id).join(', '));
  const [first] = service.publications;
  if (first === undefined) return;
  output.say();
  output.say('Next, in another terminal:');
  const token = service.anonymous === null ? 'LONGHAUL_TOKEN=<token of a caller> ' : '';
  output.say(bold(`  ${token}${commandName()} submit --skill ${first.id} '${first.examples[0] ?? 'Hello'}' --watch`));
}
