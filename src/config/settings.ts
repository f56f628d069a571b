/** Environment and flags to values, with every bad one named. A flag wins over its variable; an empty value is none. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { ConfigurationError, type ConfigurationProblem } from './configuration-error.ts';
import type { Configuration, GrpcConfiguration } from './configuration.ts';
import { messageOf } from './error-text.ts';
import { isLoopback } from './loopback.ts';
import { howToMake, tokenFault, tokenHash } from './token.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** As the command line gives them; names are those of the long flags. */
export interface Flags {
  readonly config?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | number | undefined;
  readonly grpcPort?: string | number | undefined;
  readonly operatorHost?: string | undefined;
  readonly operatorPort?: string | number | undefined;
  readonly dataDir?: string | undefined;
  readonly temporalAddress?: string | undefined;
  readonly namespace?: string | undefined;
  readonly durability?: string | undefined;
  /** Lets `anonymous` and a public `http:` URL be used beyond this machine. */
  readonly insecure?: boolean | undefined;
}

export interface SettingsSource {
  readonly env: Environment;
  readonly flags?: Flags;
  /** Absolute path that relative ones begin at. */
  readonly cwd: string;
}

/** All that does not come from `a2a.yaml`. */
export type Settings = Omit<Configuration, 'service'> & { readonly isInsecure: boolean };

/**
 * @param isServing whether this process opens the listeners, so that they have to be safe.
 * @throws {ConfigurationError} with every bad variable and flag.
 */
export async function parseSettings(
  { env, flags = {}, cwd }: SettingsSource,
  { isServing = true }: { readonly isServing?: boolean } = {},
): Promise<Settings> {
  const problems: ConfigurationProblem[] = [];
  const refuse = (source: string, message: string) => void problems.push({ source, key: '', message });

  /** The setting's text, and what it is called where it was given. */
  const given = (variable: string, flag?: keyof Flags) => {
    const byFlag = flag === undefined ? undefined : flags[flag];
    if (byFlag !== undefined && byFlag !== '') return { text: String(byFlag), source: flagName(flag ?? '') };
    const byVariable = env[variable];
    return byVariable === undefined || byVariable === '' ? undefined : { text: byVariable, source: variable };
  };
  const text = (fallback: string, variable: string, flag?: keyof Flags) => given(variable, flag)?.text ?? fallback;
  const path = (fallback: string, variable: string, flag?: keyof Flags) => resolve(cwd, text(fallback, variable, flag));
  const whole = (fallback: number, [min, max]: [number, number], variable: string, flag?: keyof Flags) => {
    const found = given(variable, flag);
    if (found === undefined) return fallback;
    const value = /^\d+$/.test(found.text) ? Number(found.text) : NaN;
    if (value >= min && value <= max) return value;
    refuse(found.source, `must be a whole number from ${min} to ${max}, and is "${found.text}"`);
    return fallback;
  };
  const oneOf = <Name extends string>(
    names: readonly [Name, ...Name[]],
    variable: string,
    flag?: keyof Flags,
  ): Name => {
    const found = given(variable, flag);
    const known = names.find((name) => name === found?.text);
    if (found !== undefined && known === undefined)
      refuse(found.source, `must be ${names.join(' or ')}, and is "${found.text}"`);
    return known ?? names[0];
  };
  const secretText = async (variable: string): Promise<string | undefined> => {
    const file = given(`${variable}_FILE`);
    const value = given(variable);
    if (file === undefined) return value?.text;
    if (value !== undefined) refuse(variable, `is given beside ${file.source}; one of them is enough`);
    try {
      return (await readFile(resolve(cwd, file.text), 'utf8')).trim();
    } catch (cause) {
      refuse(file.source, `cannot be read: ${messageOf(cause)}`);
      return undefined;
    }
  };

  const fileContent = async (variable: string): Promise<Buffer | undefined> => {
    const file = given(variable);
    if (file === undefined) return undefined;
    try {
      return await readFile(resolve(cwd, file.text));
    } catch (cause) {
      refuse(variable, `cannot be read: ${messageOf(cause)}`);
      return undefined;
    }
  };
  const grpcTls = async (): Promise<GrpcConfiguration['tls']> => {
    const [certificateName, keyName] = ['LONGHAUL_GRPC_TLS_CERT', 'LONGHAUL_GRPC_TLS_KEY'] as const;
    const [certificate, key] = [await fileContent(certificateName), await fileContent(keyName)];
    const [hasCertificate, hasKey] = [given(certificateName) !== undefined, given(keyName) !== undefined];
    if (hasCertificate !== hasKey) {
      const [one, other] = hasKey ? [keyName, certificateName] : [certificateName, keyName];
      refuse(one, `is of no use without ${other}`);
    }
    if (hasCertificate && given('LONGHAUL_GRPC_PORT', 'grpcPort') === undefined) {
      refuse(certificateName, 'is of no use without LONGHAUL_GRPC_PORT');
    }
    if (certificate === undefined || key === undefined) return undefined;
    try {
      createSecureContext({ cert: certificate, key });
    } catch (cause) {
      refuse(certificateName, `is no certificate (PEM) of the key in ${keyName}: ${messageOf(cause)}`);
    }
    return { certificate, key };
  };

  const dataDirectory = path('.longhaul', 'LONGHAUL_DATA_DIR', 'dataDir');
  const address = given('TEMPORAL_ADDRESS', 'temporalAddress');
  if (address !== undefined && !/^(\[[0-9a-fA-F:]+\]|[^\s:/]+):\d{1,5}$/.test(address.text)) {
    refuse(address.source, `must be host:port, such as 127.0.0.1:7233, and is "${address.text}"`);
  }
  const host = text('127.0.0.1', 'LONGHAUL_HOST', 'host');
  const operatorHost = text('127.0.0.1', 'LONGHAUL_OPERATOR_HOST', 'operatorHost');
  const operatorToken = await secretText('LONGHAUL_OPERATOR_TOKEN');
  const fault = operatorToken === undefined ? undefined : tokenFault(operatorToken);
  if (fault !== undefined) refuse('LONGHAUL_OPERATOR_TOKEN', fault);
  if (isServing && operatorToken === undefined && !isLoopback(operatorHost)) {
    const why = `is required, as the operator listener on ${operatorHost} can be reached from other machines`;
    refuse('LONGHAUL_OPERATOR_TOKEN', `${why}; ${howToMake('LONGHAUL_OPERATOR_TOKEN')}`);
  }
  const port: [number, number] = [0, 65_535];
  const tls = isServing ? await grpcTls() : undefined;
  const settings: Settings = {
    configPath: path('a2a.yaml', 'LONGHAUL_A2A_CONFIG', 'config'),
    dataDirectory,
    storage: {
      payloadsDirectory: path(resolve(dataDirectory, 'payloads'), 'LONGHAUL_PAYLOADS_DIR'),
      artifactsDirectory: path(resolve(dataDirectory, 'artifacts'), 'LONGHAUL_ARTIFACTS_DIR'),
    },
    http: {
      host,
      port: whole(4000, port, 'LONGHAUL_PORT', 'port'),
      operatorHost,
      operatorPort: whole(4001, port, 'LONGHAUL_OPERATOR_PORT', 'operatorPort'),
      ...(operatorToken !== undefined && { operatorTokenHash: tokenHash(operatorToken) }),
      streamHeartbeatMs: whole(8000, [10, 3_600_000], 'A2A_STREAM_HEARTBEAT_MS'),
      drainMs: whole(10_000, [0, 600_000], 'LONGHAUL_DRAIN_MS'),
    },
    ...(given('LONGHAUL_GRPC_PORT', 'grpcPort') !== undefined && {
      grpc: {
        host,
        port: whole(0, port, 'LONGHAUL_GRPC_PORT', 'grpcPort'),
        ...(tls !== undefined && { tls }),
      },
    }),
    temporal: {
      ...(address !== undefined && { address: address.text }),
      namespace: text('longhaul', 'TEMPORAL_NAMESPACE', 'namespace'),
      taskQueue: text('longhaul', 'LONGHAUL_TASK_QUEUE'),
      durability: oneOf(['full', 'normal'], 'LONGHAUL_DURABILITY', 'durability'),
      heartbeatTimeoutMs: whole(10_000, [1000, 3_600_000], 'LONGHAUL_HEARTBEAT_TIMEOUT_MS'),
      // Temporal takes 1,200 unless told otherwise (`frontend.namespaceCount`); the server that `up` starts takes 20,000.
      historyPollsMax: whole(address === undefined ? 10_000 : 1000, [10, 100_000], 'LONGHAUL_HISTORY_POLLS_MAX'),
    },
    isInsecure: flags.insecure ?? oneOf(['false', 'true'], 'LONGHAUL_INSECURE') === 'true',
  };
  if (problems.length > 0) throw new ConfigurationError(problems);
  return settings;
}

function flagName(flag: string): string {
  return `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
