import { request } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { HEADERS, message, post, rpc, send, startGateway } from '../support/gateway.ts';
import { sharedGateway } from '../support/shared-gateway.ts';

describe('the public listener', () => {
  const gateway = sharedGateway();
  const bodyOf = (text: string) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: message(text) } });

  it.each([
    ['no credentials', {}],
    ['a wrong token', { Authorization: 'Bearer wrong' }],
    ['an empty token', { Authorization: 'Bearer ' }],
    ['another scheme', { Authorization: 'Basic YTpi' }],
    ['two tokens', { Authorization: 'Bearer alice-token bob-token' }],
    ['a wrong key', { 'X-API-Key': 'wrong' }],
    ['two callers at once', { Authorization: 'Bearer alice-token', 'X-API-Key': 'bob-token' }],
  ])('answers %s with 401, a challenge and an envelope', async (_name, credentials: Record<string, string>) => {
    const { Authorization: _, ...headers } = HEADERS;
    const {
      status,
      headers: answered,
      body,
    } = await rpc(gateway().url, 'GetTask', { id: 'x' }, { ...headers, ...credentials });
    expect(status).toBe(401);
    expect(answered.get('www-authenticate')).toBe('Bearer realm="longhaul"');
    expect(body).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32000, message: 'Authentication required' },
    });
    expect(body.error.data[0].reason).toBe('UNAUTHENTICATED');
  });

  it.each(['/.well-known/agent-card.json', '/a2a/artifacts/a/b', '/elsewhere'])(
    'answers 401 plainly on %s',
    async (path) => {
      const response = await fetch(`${gateway().url}${path}`);
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({ error: 'Authentication required' });
    },
  );

  it.each([{ Authorization: 'bearer  alice-token' }, { 'X-API-Key': 'alice-token' }])(
    'lets a caller in with %j',
    async (credentials) => {
      const { Authorization: _, ...headers } = HEADERS;
      const { body } = await rpc(
        gateway().url,
        'GetTask',
        { id: 'x' },
        { ...headers, ...(credentials as Record<string, string>) },
      );
      expect(body.error.code).toBe(-32001);
    },
  );

  it.each([
    ['GET', '/a2a', 'POST'],
    ['DELETE', '/a2a/', 'POST'],
    ['POST', '/.well-known/agent-card.json', 'GET'],
    ['PUT', '/a2a/artifacts/a/b', 'GET'],
  ])('answers %s %s with 405 and what is allowed', async (method, path, allowed) => {
    const response = await fetch(`${gateway().url}${path}`, { method, headers: HEADERS });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allowed);
    expect(await response.json()).toMatchObject(
      path.startsWith('/a2a/art') || path.startsWith('/.')
        ? { error: 'Method not allowed' }
        : { error: { message: 'Method not allowed' } },
    );
  });

  it('answers an unknown path in JSON', async () => {
    const response = await fetch(`${gateway().url}/a2a/artifacts/only-one`, { headers: HEADERS });
    expect([response.status, await response.json()]).toEqual([404, { error: 'Artifact not found' }]);
    const other = await fetch(`${gateway().url}/api/pending`, { headers: HEADERS });
    expect([other.status, await other.json()]).toEqual([404, { error: 'Not found' }]);
  });

  it.each([['text/plain'], ['application/x-www-form-urlencoded'], ['application/jsonp']])(
    'answers content type %s with 415 and -32005',
    async (type) => {
      const { status, body } = await post(gateway().url, bodyOf('echo a'), { ...HEADERS, 'Content-Type': type });
      expect(status).toBe(415);
      expect(body).toMatchObject({
        id: null,
        error: { code: -32005, data: [{ reason: 'CONTENT_TYPE_NOT_SUPPORTED' }] },
      });
    },
  );

  it('ignores the parameters of the content type', async () => {
    const { body } = await post(gateway().url, bodyOf('echo a'), {
      ...HEADERS,
      'Content-Type': 'Application/JSON; charset=utf-8',
    });
    expect(body.result.task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('takes a body up to the limit byte for byte', async () => {
    const text = `echo ${'ä'.repeat(450_000)}`;
    const { body } = await send(gateway(), text);
    expect(body.result.task.artifacts[0].parts[0].text).toBe(text.slice(5));
  });

  it('answers a body over the limit with 413 and an envelope, sent at once or in chunks', async () => {
    const large = bodyOf('x'.repeat(1_100_000));
    const declared = await post(gateway().url, large);
    expect(declared.status).toBe(413);
    expect(declared.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } });

    const chunks = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < large.length; at += 100_000)
          controller.enqueue(Buffer.from(large.slice(at, at + 100_000)));
        controller.close();
      },
    });
    const response = await fetch(`${gateway().url}/a2a`, {
      method: 'POST',
      headers: HEADERS,
      body: chunks,
      duplex: 'half',
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: -32600 } });
  });

  it('refuses a compressed body before it is unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000, 'a'));
    const { status, body } = await post(gateway().url, bomb, { ...HEADERS, 'Content-Encoding': 'gzip' });
    expect(status).toBe(415);
    expect(body.error.code).toBe(-32005);
  });

  it('survives a content length that lies', async () => {
    const { hostname, port } = new URL(gateway().url);
    const socket = connect(Number(port), hostname);
    const head = Object.entries({ ...HEADERS, 'Content-Length': '1000' }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    socket.end(`POST /a2a HTTP/1.1\r\nHost: x\r\n${head.join('')}\r\n{"jsonrpc":`);
    await once(socket.resume(), 'close');
    expect((await send(gateway(), 'echo alive')).body.result.task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it.each(['[', 'a b', ''])('does not need a Host that makes sense to know the version: "%s"', async (host) => {
    const { hostname, port } = new URL(gateway().url);
    const socket = connect(Number(port), hostname);
    const { 'A2A-Version': _, ...headers } = HEADERS;
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'none' } });
    const head = Object.entries({ ...headers, 'Content-Length': body.length, Connection: 'close' })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    socket.end(`POST /a2a?A2A-Version=1.0 HTTP/1.1\r\nHost: ${host}\r\n${head}\r\n${body}`);
    expect(await text(socket)).toContain('"code":-32001');
  });

  it('serves a caller without credentials as the anonymous one, if there is one', async () => {
    await using open = await startGateway({ service: { anonymous: 'alice' } });
    const { Authorization: _, ...headers } = HEADERS;
    const { body } = await rpc(open.url, 'SendMessage', { message: message('echo open') }, headers);
    expect(body.result.task.status.state).toBe('TASK_STATE_COMPLETED');
    const bad = await rpc(open.url, 'GetTask', { id: 'x' }, { ...headers, Authorization: 'Bearer wrong' });
    expect(bad.status).toBe(401);
  });

  it.each([
    ['a name that was rebound to this address', { Host: 'evil.example' }, 401],
    ['the Origin of a page elsewhere', { Origin: 'https://evil.example' }, 401],
    ['an opaque Origin', { Origin: 'null' }, 401],
    ['localhost', { Host: 'localhost:4000' }, 200],
    ['the name of the public URL, from a proxy', { Host: 'agents.example.com' }, 200],
    ['another name and a token', { Host: 'evil.example', Authorization: HEADERS.Authorization }, 200],
  ])('with an anonymous caller, answers a request with %s', async (_name, headers: Record<string, string>, status) => {
    await using open = await startGateway({ service: { anonymous: 'alice' } });
    const { Authorization: _, ...json } = HEADERS;
    // `fetch` sets Host itself.
    const answered = Promise.withResolvers<number>();
    request(`${open.url}/a2a`, { method: 'POST', headers: { ...json, ...headers } }, (response) => {
      response.resume();
      answered.resolve(response.statusCode!);
    })
      .on('error', answered.reject)
      .end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: message('echo open') } }));
    expect(await answered.promise).toBe(status);
    expect(open.begun).toHaveLength(status === 200 ? 1 : 0);
  });
});
