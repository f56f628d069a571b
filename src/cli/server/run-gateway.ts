import { parseConfig } from '../../config/parse-config.ts';
import { createLogger } from '../../observability/logger.ts';
import { EXIT } from '../exit-codes.ts';
import type { ServerFlags } from '../flags.ts';
import { logLevel, logWarnings } from './log-to-file.ts';
import { readSecret } from './secret.ts';
import { listenForStop } from './stop-signal.ts';
import { temporalAddressOf } from './temporal-address.ts';
import { startGateway } from '../../gateway.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';

/** Until it is asked to stop. */
export async function runGateway(output: Output, flags: ServerFlags): Promise<ExitCode> {
  const config = await parseConfig({ env: process.env, flags, cwd: process.cwd() });
  const secret = await readSecret(config.dataDirectory, process.env);
  const temporalAddress = temporalAddressOf(config);
  const logger = createLogger({ level: logLevel(process.env), name: 'longhaul-gateway' });
  logWarnings(logger);
  using stop = listenForStop();

  await using gateway = await startGateway(config, { temporalAddress, secret, logger });
  const { url, operatorUrl, grpcAddress } = gateway;
  const grpc = grpcAddress !== undefined && { grpcAddress };
  output.json({ url, operatorUrl, ...grpc, temporalAddress, pid: process.pid });
  output.say(
    `A2A at ${url}/a2a${grpcAddress === undefined ? '' : ` and by gRPC at ${grpcAddress}`}, operators at ${operatorUrl}`,
  );
  logger.info({ url, operatorUrl, ...grpc, temporalAddress }, 'The gateway answers');
  const signal = await Promise.race([stop.requested, gateway.broken]);
  logger.info({ signal }, 'Stopping; requests under way may end, tasks go on');
  return EXIT.ok;
}
