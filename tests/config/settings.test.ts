import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError } from '../../src/config/configuration-error.ts';
import { parseSettings, type SettingsSource } from '../../src/config/settings.ts';

const TOKEN = 't'.repeat(32);
const parse = (source: Partial<SettingsSource>) => parseSettings({ env: {}, cwd: '/srv/project', ...source });

async function problems(source: Partial<SettingsSource>): Promise<string[]> {
  const [result] = await Promise.allSettled([parse(source)]);
  if (result.status === 'fulfilled') return [];
  if (!(result.reason instanceof ConfigurationError)) throw result.reason;
  return result.reason.message.split('\n');
}

describe('parseSettings', () => {
  it('has a default for everything', async () => {
    expect(await parse({})).toEqual({
      configPath: '/srv/project/a2a.yaml',
      dataDirectory: '/srv/project/.longhaul',
      storage: {
        payloadsDirectory: '/srv/project/.longhaul/payloads',
        artifactsDirectory: '/srv/project/.longhaul/artifacts',
      },
      http: {
        host: '127.0.0.1',
        port: 4000,
        operatorHost: '127.0.0.1',
        operatorPort: 4001,
        streamHeartbeatMs: 8000,
        drainMs: 10_000,
      },
      temporal: {
        namespace: 'longhaul',
        taskQueue: 'longhaul',
        durability: 'full',
        heartbeatTimeoutMs: 10_000,
        historyPollsMax: 10_000,
      },
      isInsecure: false,
    });
  });

  it('reads the environment', async () => {
    const env = {
      LONGHAUL_A2A_CONFIG: '/etc/a2a.yaml',
      LONGHAUL_DATA_DIR: 'state',
      LONGHAUL_PAYLOADS_DIR: '/shared/payloads',
      LONGHAUL_HOST: '0.0.0.0',
      LONGHAUL_PORT: '0',
      LONGHAUL_OPERATOR_HOST: '::',
      LONGHAUL_OPERATOR_PORT: '9001',
      LONGHAUL_OPERATOR_TOKEN: TOKEN,
      A2A_STREAM_HEARTBEAT_MS: '50',
      TEMPORAL_ADDRESS: 'temporal:7233',
      TEMPORAL_NAMESPACE: 'other',
      LONGHAUL_TASK_QUEUE: 'queue',
      LONGHAUL_DURABILITY: 'normal',
      LONGHAUL_INSECURE: 'true',
    };
    expect(await parse({ env })).toMatchObject({
      configPath: '/etc/a2a.yaml',
      dataDirectory: '/srv/project/state',
      storage: { payloadsDirectory: '/shared/payloads', artifactsDirectory: '/srv/project/state/artifacts' },
      http: {
        host: '0.0.0.0',
        port: 0,
        operatorHost: '::',
        operatorPort: 9001,
        operatorTokenHash: createHash('sha256').update(TOKEN).digest(),
        streamHeartbeatMs: 50,
      },
      temporal: {
        address: 'temporal:7233',
        namespace: 'other',
        taskQueue: 'queue',
        durability: 'normal',
        historyPollsMax: 1000,
      },
      isInsecure: true,
    });
  });

  it('prefers flags, and takes what is empty for what is not there', async () => {
    const env = { LONGHAUL_PORT: '1', TEMPORAL_NAMESPACE: '', TEMPORAL_ADDRESS: '', LONGHAUL_HOST: 'localhost' };
    const settings = await parse({ env, flags: { port: 2, config: 'other.yaml', host: '' } });
    expect(settings.http).toMatchObject({ port: 2, host: 'localhost' });
    expect(settings.configPath).toBe('/srv/project/other.yaml');
    expect(settings.temporal).not.toHaveProperty('address');
    expect(settings.temporal.namespace).toBe('longhaul');
  });

  it('names every bad variable and flag in one error', async () => {
    const env = {
      LONGHAUL_PORT: '70000',
      A2A_STREAM_HEARTBEAT_MS: 'soon',
      TEMPORAL_ADDRESS: 'http://temporal:7233',
      LONGHAUL_DURABILITY: 'some',
      LONGHAUL_OPERATOR_TOKEN: 'short',
    };
    expect(await problems({ env, flags: { operatorPort: '-1' } })).toEqual([
      'TEMPORAL_ADDRESS: must be host:port, such as 127.0.0.1:7233, and is "http://temporal:7233"',
      'LONGHAUL_OPERATOR_TOKEN: must have at least 32 characters',
      'LONGHAUL_PORT: must be a whole number from 0 to 65535, and is "70000"',
      '--operator-port: must be a whole number from 0 to 65535, and is "-1"',
      'A2A_STREAM_HEARTBEAT_MS: must be a whole number from 10 to 3600000, and is "soon"',
      'LONGHAUL_DURABILITY: must be full or normal, and is "some"',
    ]);
  });

  it('refuses an open operator listener that others can reach', async () => {
    const flags = { operatorHost: '0.0.0.0' };
    expect(await problems({ flags })).toEqual([
      'LONGHAUL_OPERATOR_TOKEN: is required, as the operator listener on 0.0.0.0 can be reached from other machines; ' +
        'make one with: export LONGHAUL_OPERATOR_TOKEN="$(openssl rand -hex 32)"',
    ]);
    expect(await problems({ flags, env: { LONGHAUL_OPERATOR_TOKEN: TOKEN } })).toEqual([]);
    for (const operatorHost of ['localhost', '127.0.0.2', '::1']) {
      expect(await problems({ flags: { operatorHost } })).toEqual([]);
    }
  });

  it('serves gRPC where a port for it is given, on the public host', async () => {
    expect(await parse({})).not.toHaveProperty('grpc');
    expect((await parse({ flags: { grpcPort: 4003, host: '0.0.0.0' } })).grpc).toEqual({ host: '0.0.0.0', port: 4003 });
    expect((await parse({ env: { LONGHAUL_GRPC_PORT: '0' } })).grpc).toEqual({ host: '127.0.0.1', port: 0 });
    expect(await problems({ flags: { grpcPort: 'x' } })).toEqual([
      '--grpc-port: must be a whole number from 0 to 65535, and is "x"',
    ]);
  });

  it('takes a certificate and its key for gRPC, and both of them only', async () => {
    const cwd = join(import.meta.dirname, '../fixtures/tls');
    const [LONGHAUL_GRPC_TLS_CERT, LONGHAUL_GRPC_TLS_KEY] = ['localhost-certificate.pem', 'localhost-key.pem'];
    const env = { LONGHAUL_GRPC_PORT: '4003', LONGHAUL_GRPC_TLS_CERT, LONGHAUL_GRPC_TLS_KEY };
    const { grpc } = await parse({ env, cwd });
    expect(grpc?.tls?.certificate.toString()).toMatch(/BEGIN CERTIFICATE/);
    expect(grpc?.tls?.key.toString()).toMatch(/BEGIN PRIVATE KEY/);
    expect(await problems({ env: { ...env, LONGHAUL_GRPC_TLS_KEY: '' }, cwd })).toEqual([
      'LONGHAUL_GRPC_TLS_CERT: is of no use without LONGHAUL_GRPC_TLS_KEY',
    ]);
    expect(await problems({ env: { ...env, LONGHAUL_GRPC_PORT: '' }, cwd })).toEqual([
      'LONGHAUL_GRPC_TLS_CERT: is of no use without LONGHAUL_GRPC_PORT',
    ]);
    expect(await problems({ env: { ...env, LONGHAUL_GRPC_TLS_KEY: 'absent.pem' }, cwd })).toEqual([
      expect.stringMatching(/^LONGHAUL_GRPC_TLS_KEY: cannot be read: ENOENT/),
    ]);
    expect(await problems({ env: { ...env, LONGHAUL_GRPC_TLS_KEY: LONGHAUL_GRPC_TLS_CERT }, cwd })).toEqual([
      expect.stringMatching(/^LONGHAUL_GRPC_TLS_CERT: is no certificate \(PEM\) of the key in LONGHAUL_GRPC_TLS_KEY: /),
    ]);
  });

  it("reads the operators' token from a file, without its line break", async () => {
    const directory = await mkdtemp(join(tmpdir(), 'longhaul-token-'));
    try {
      await writeFile(join(directory, 'token'), `${TOKEN}\n`);
      const env = { LONGHAUL_OPERATOR_TOKEN_FILE: 'token' };
      const { http } = await parse({ env, cwd: directory });
      expect(http.operatorTokenHash).toEqual(createHash('sha256').update(TOKEN).digest());
      expect(await problems({ env: { ...env, LONGHAUL_OPERATOR_TOKEN: TOKEN }, cwd: directory })).toEqual([
        'LONGHAUL_OPERATOR_TOKEN: is given beside LONGHAUL_OPERATOR_TOKEN_FILE; one of them is enough',
      ]);
      expect((await problems({ env: { LONGHAUL_OPERATOR_TOKEN_FILE: 'absent' }, cwd: directory }))[0]).toMatch(
        /^LONGHAUL_OPERATOR_TOKEN_FILE: cannot be read: ENOENT/,
      );
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
