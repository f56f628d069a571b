import { readUpRecord } from '../server/up-record.ts';
import type { ClientFlags } from '../flags.ts';
import type { A2aClient } from './a2a-client.ts';
import { createA2aClient } from './a2a-client.ts';
import { createCheckedFetch } from './checked-fetch.ts';
import type { OperatorClient } from './operator-client.ts';
import { createOperatorClient } from './operator-client.ts';

/** The gateway that a client command speaks to. */
export interface Target {
  readonly url: string;
  readonly operatorUrl: string;
  readonly a2a: A2aClient;
  readonly operator: OperatorClient;
  /** For the stream, which the SDK's client cannot take up again. */
  readonly fetchImpl: typeof fetch;
}

/**
 * Where and as whom: `--url`, else LONGHAUL_URL, else `--host` and `--port`, else what `longhaul up` in this data folder
 * has noted, else 127.0.0.1:4000. The token is in the variable that `--token-env` names, LONGHAUL_TOKEN unless said.
 */
export async function openTarget(flags: ClientFlags): Promise<Target> {
  const { env } = process;
  const up = await readUpRecord(flags.dataDir);
  const url =
    flags.url ?? env['LONGHAUL_URL'] ?? fromHost(flags.host, flags.port, 4000) ?? up?.url ?? 'http://127.0.0.1:4000';
  const operatorUrl =
    flags.operatorUrl ??
    env['LONGHAUL_OPERATOR_URL'] ??
    fromHost(flags.operatorHost, flags.operatorPort, 4001) ??
    up?.operatorUrl ??
    'http://127.0.0.1:4001';

  const tokenName = flags.tokenEnv ?? 'LONGHAUL_TOKEN';
  const token = env[tokenName];
  const operatorToken = env['LONGHAUL_OPERATOR_TOKEN'];
  const fetchImpl = createCheckedFetch({ url, ...(token && { token }), tokenHint: tokenName });
  const operatorFetch = createCheckedFetch({
    url: operatorUrl,
    ...(operatorToken && { token: operatorToken }),
    tokenHint: 'LONGHAUL_OPERATOR_TOKEN',
  });
  return {
    url,
    operatorUrl,
    a2a: await createA2aClient({ url, fetchImpl }),
    operator: createOperatorClient({ operatorUrl, fetchImpl: operatorFetch }),
    fetchImpl,
  };
}

function fromHost(host: string | undefined, port: number | undefined, portDefault: number): string | undefined {
  if (host === undefined && port === undefined) return undefined;
  return `http://${host ?? '127.0.0.1'}:${port ?? portDefault}`;
}
