import { describe, expect, it } from '@jest/globals';
import { artifactUri } from '../../../src/domain/stage-run.ts';
import { BOB, HEADERS, rpc, send, sha256 } from '../../support/gateway.ts';
import { sharedGateway } from '../../support/shared-gateway.ts';

describe('downloading an artifact', () => {
  const gateway = sharedGateway();

  async function store(bytes: Buffer, filename = 'report.md', mediaType = 'text/markdown'): Promise<string> {
    const { body } = await send(gateway(), 'hold', { configuration: { returnImmediately: true } });
    const { id } = body.result.task;
    const hash = sha256(bytes).toString('hex');
    gateway().artifacts.set(`${id}/a1/${hash}`, bytes);
    gateway().tasks.record(id, {
      type: 'artifact',
      artifact: { artifactId: 'a1', name: filename, parts: [{ url: artifactUri('a1', hash), filename, mediaType }] },
    });
    return id as string;
  }

  const download = (path: string, headers: Record<string, string> = { Authorization: HEADERS.Authorization }) =>
    fetch(`${gateway().url}/a2a/artifacts/${path}`, { headers });

  it('is named by the task under the public URL, in answers and on streams', async () => {
    const id = await store(Buffer.from('# Report'));
    const { body } = await rpc(gateway().url, 'GetTask', { id });
    expect(body.result.artifacts[0].parts[0].url).toBe(`https://agents.example.com/base/a2a/artifacts/${id}/a1`);
  });

  it('gives the bytes, to be saved under their name', async () => {
    const bytes = Buffer.from('# Bericht über 日本\n'.repeat(50_000));
    const id = await store(bytes, 'Bericht "über" 日本.md');
    const response = await download(`${id}/a1`);
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/markdown',
      'content-length': String(bytes.length),
      'content-disposition': `attachment; filename="Bericht __ber_ __.md"; filename*=UTF-8''Bericht%20%22%C3%BCber%22%20%E6%97%A5%E6%9C%AC.md`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
      etag: `"${sha256(bytes).toString('hex')}"`,
      vary: 'Authorization, X-API-Key',
    });
    const again = await download(`${id}/a1`, { ...HEADERS, 'If-None-Match': response.headers.get('etag')! });
    expect(again.status).toBe(304);
  });

  it('cuts the connection when the bytes stop coming', async () => {
    const id = await store(Buffer.from('whole'));
    const { tasks, artifacts } = gateway();
    const [part] = (await tasks.read(id)).task.artifacts[0]!.parts;
    const hash = part!.url!.split('/')[1]!;
    artifacts.set(
      `${id}/a1/${hash}`,
      new Proxy(Buffer.from('whole'), { get: (target, name) => (name === 'length' ? 500 : Reflect.get(target, name)) }),
    );
    await expect(download(`${id}/a1`).then((response) => response.text())).rejects.toThrow();
  });

  it('keeps names and types that are none from the headers', async () => {
    const id = await store(Buffer.from('x'), 'a\r\nSet-Cookie: b/../c', 'text/html\r\nX-Evil: 1');
    const response = await download(`${id}/a1`);
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="a__Set-Cookie: b_.._c"/);
    expect(response.headers.get('x-evil')).toBeNull();
  });

  it("answers all that is not there, or not the reader's, alike", async () => {
    const id = await store(Buffer.from('secret'));
    const answers = await Promise.all([
      download(`${id}/a1`, { Authorization: BOB.Authorization }),
      download(`${id}/a2`),
      download('unknown/a1'),
      download(`${id}/%E0%A4%A`),
      download(`${id}/a1/more`),
      download(id),
    ]);
    for (const answer of answers) {
      expect([answer.status, await answer.text()]).toEqual([404, '{"error":"Artifact not found"}']);
    }
  });
});
