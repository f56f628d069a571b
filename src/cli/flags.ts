import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';

/** Flags that every command takes. */
export interface CommonFlags {
  readonly json?: boolean;
  readonly config?: string;
  readonly dataDir?: string;
  readonly host?: string;
  readonly port?: number;
  readonly grpcPort?: number;
  readonly operatorHost?: string;
  readonly operatorPort?: number;
  readonly temporalAddress?: string;
  readonly namespace?: string;
}

/** Flags of the commands that speak to a running gateway. */
export interface ClientFlags extends CommonFlags {
  readonly url?: string;
  readonly operatorUrl?: string;
  readonly tokenEnv?: string;
}

/** Flags of the commands that run something. */
export interface ServerFlags extends CommonFlags {
  readonly durability?: string;
  readonly insecure?: boolean;
}

export function addCommonFlags(command: Command): Command {
  return command
    .option('--config <file>', 'configuration (LONGHAUL_A2A_CONFIG; ./a2a.yaml unless said)')
    .option('--data-dir <folder>', 'where state is kept (LONGHAUL_DATA_DIR; ./.longhaul unless said)')
    .option('--host <host>', 'host of the public listener (127.0.0.1)')
    .option('--port <port>', 'port of the public listener (4000)', parsePort)
    .option('--grpc-port <port>', 'serve A2A over gRPC, too, on this port (LONGHAUL_GRPC_PORT)', parsePort)
    .option('--operator-host <host>', 'host of the operator listener (127.0.0.1)')
    .option('--operator-port <port>', 'port of the operator listener (4001)', parsePort)
    .option('--temporal-address <host:port>', 'a Temporal server that runs already (TEMPORAL_ADDRESS)')
    .option('--namespace <name>', "Temporal's namespace (longhaul)")
    .option('--json', 'print JSON for programs');
}

export function addClientFlags(command: Command): Command {
  return addCommonFlags(command)
    .option('--url <url>', 'the gateway (LONGHAUL_URL; http://127.0.0.1:4000 unless said)')
    .option('--operator-url <url>', 'its operator listener (LONGHAUL_OPERATOR_URL; http://127.0.0.1:4001 unless said)')
    .option('--token-env <name>', "environment variable with the caller's token (LONGHAUL_TOKEN)");
}

export function addServerFlags(command: Command): Command {
  return addCommonFlags(command)
    .option('--durability <mode>', "of Temporal's own database: full, or normal (faster; a power cut may lose seconds)")
    .option('--insecure', 'let anonymous callers and plain HTTP in from other machines');
}

function parsePort(value: string): number {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65_535) throw new InvalidArgumentError('A port is a number from 0 to 65535.');
  return port;
}
