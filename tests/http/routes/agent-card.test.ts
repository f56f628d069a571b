import { createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { AgentCard, verifyAgentCardSignature } from '@a2a-js/sdk';
import { describe, expect, it } from '@jest/globals';
import { HEADERS, startGateway } from '../../support/gateway.ts';
import { sharedGateway } from '../../support/shared-gateway.ts';

const PATH = '/.well-known/agent-card.json';
const BOB = { Authorization: 'Bearer bob-token' };

describe('the agent card', () => {
  const gateway = sharedGateway();
  const get = (headers: Record<string, string>, url = gateway().url) => fetch(`${url}${PATH}`, { headers });

  it('lists what its reader may use, with addresses under the public URL whatever Host says', async () => {
    const response = await get({
      Authorization: HEADERS.Authorization,
      Host: 'evil.example',
      'X-Forwarded-Host': 'evil.example',
    });
    const card = await response.json();
    expect(card).toEqual({
      name: 'Longhaul',
      description: 'Durable research.',
      supportedInterfaces: [
        { url: 'https://agents.example.com/base/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: 'https://agents.example.com/base/a2a/rest', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
        { url: 'https://agents.example.com/base/a2a', protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
        { url: 'https://agents.example.com/base/a2a/rest', protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
      ],
      version: '1.2.3',
      capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
      securitySchemes: {
        bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
        apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } },
      },
      securityRequirements: [{ schemes: { bearer: { list: [] } } }, { schemes: { apiKey: { list: [] } } }],
      defaultInputModes: ['text/plain', 'application/json'],
      defaultOutputModes: ['text/plain', 'application/json'],
      skills: ['echo', 'shared'].map((id) => ({
        id,
        name: `The ${id}`,
        description: `Does ${id}.`,
        tags: ['test'],
        inputModes: ['text/plain', 'application/json'],
        outputModes: ['text/plain', 'application/json'],
      })),
    });
    const bobs = (await (await get(BOB)).json()) as { skills: { id: string }[] };
    expect(bobs.skills.map(({ id }) => id)).toEqual(['shared']);
  });

  it('lists gRPC where it is on, 1.0 before 0.3', async () => {
    await using both = await startGateway({ service: { publicGrpc: 'agents.example.com:443' } });
    const card = (await (await get({ Authorization: HEADERS.Authorization }, both.url)).json()) as {
      supportedInterfaces: { url: string; protocolBinding: string; protocolVersion: string }[];
    };
    expect(
      card.supportedInterfaces.map(({ protocolBinding, protocolVersion }) => `${protocolBinding} ${protocolVersion}`),
    ).toEqual(['JSONRPC 1.0', 'HTTP+JSON 1.0', 'GRPC 1.0', 'JSONRPC 0.3', 'HTTP+JSON 0.3', 'GRPC 0.3']);
    expect(card.supportedInterfaces[2]?.url).toBe('agents.example.com:443');
  });

  it('is what the SDK reads and writes', async () => {
    const card: unknown = await (await get({ Authorization: HEADERS.Authorization })).json();
    const read = AgentCard.fromJSON(card);
    expect(read.securitySchemes['bearer']?.scheme?.$case).toBe('httpAuthSecurityScheme');
    expect(AgentCard.fromJSON(AgentCard.toJSON(read))).toEqual(read);
  });

  it('is private to caches when it is for one caller, and is not sent twice', async () => {
    const first = await get(BOB);
    expect(first.headers.get('cache-control')).toBe('private, max-age=60');
    expect(first.headers.get('vary')).toBe('Authorization, X-API-Key, A2A-Version');
    const second = await get({ ...BOB, 'If-None-Match': first.headers.get('etag')! });
    expect([second.status, await second.text()]).toEqual([304, '']);
    const alice = await get({ Authorization: HEADERS.Authorization, 'If-None-Match': first.headers.get('etag')! });
    expect(alice.status).toBe(200);
  });

  it('without credentials lists what anyone may use, where discovery is public', async () => {
    await using open = await startGateway({ service: { discovery: 'public' } });
    const response = await get({}, open.url);
    expect(response.headers.get('cache-control')).toBe('public, max-age=60');
    expect(await response.json()).toMatchObject({ skills: [] });
    const own = await get(BOB, open.url);
    expect(own.headers.get('cache-control')).toBe('private, max-age=60');
    expect(await own.json()).toMatchObject({ skills: [{ id: 'shared' }] });
    expect((await get({ Authorization: 'Bearer wrong' }, open.url)).status).toBe(401);
  });
});

describe('a card that was asked for before', () => {
  const gateway = sharedGateway();
  const get = (headers: Record<string, string>) =>
    fetch(`${gateway().url}${PATH}`, { headers: { ...BOB, ...headers } });

  it.each([
    ['Sat, 31 Jan 2026 12:00:00 GMT', 304],
    ['Sun, 01 Feb 2026 12:00:00 GMT', 304],
    ['Sat, 31 Jan 2026 11:59:59 GMT', 200],
    ['yesterday', 200],
  ])('is sent again unless the configuration is older than %s: %i', async (since, status) => {
    const response = await get({ 'If-Modified-Since': since });
    expect(response.status).toBe(status);
    expect(response.headers.get('last-modified')).toBe('Sat, 31 Jan 2026 12:00:00 GMT');
  });

  it('goes by its tag alone when one is given', async () => {
    const headers = { 'If-Modified-Since': 'Sun, 01 Feb 2026 12:00:00 GMT', 'If-None-Match': '"another"' };
    expect((await get(headers)).status).toBe(200);
  });
});

describe.each([
  ['Ed25519', () => generateKeyPairSync('ed25519')],
  ['P-256', () => generateKeyPairSync('ec', { namedCurve: 'P-256' })],
  ['RSA', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
])('a card signed with %s', (_name, makePair) => {
  const { privateKey } = makePair();
  const gateway = sharedGateway({ service: { cardSigningKey: privateKey } });
  const get = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(`${gateway().url}${path}`, { headers })).json() as Promise<never>;

  it("is verified by the SDK's own function, with the key set that it points to; a changed one is not", async () => {
    const asked: string[] = [];
    const verify = verifyAgentCardSignature(async (kid, jku) => {
      asked.push(jku ?? '');
      const { keys } = (await get('/.well-known/jwks.json')) as { keys: (JsonWebKey & { kid: string })[] };
      return createPublicKey({ key: keys.find((key) => key.kid === kid)!, format: 'jwk' });
    });
    for (const headers of [BOB, { Authorization: HEADERS.Authorization }]) {
      const card: AgentCard = await get(PATH, headers);
      await verify(card);
      await expect(verify({ ...card, name: 'Another' })).rejects.toThrow();
    }
    expect(asked[0]).toBe('https://agents.example.com/base/.well-known/jwks.json');
  });

  it('shows no private part of the key', async () => {
    const { keys } = (await get('/.well-known/jwks.json')) as { keys: object[] };
    expect(keys).toHaveLength(1);
    for (const part of ['d', 'p', 'q']) expect(keys[0]).not.toHaveProperty(part);
  });
});
