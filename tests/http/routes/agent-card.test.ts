import { AgentCard } from '@a2a-js/sdk';
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
      ],
      version: '1.2.3',
      capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true },
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
