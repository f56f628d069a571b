/** Input of every size: what is within the limit arrives byte by byte, what is beyond it is refused at once, and nothing breaks. */
import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type { Part, Task } from '../../src/domain/a2a.ts';
import { type Deployment, sharedDeployment } from '../support/deployment.ts';
import { eventually } from '../support/eventually.ts';
import { message, type RpcAnswer } from '../support/gateway.ts';

/** Said to be one second; more on a busy machine. The hang of the field was 40. */
const REFUSED_WITHIN_MS = 5_000;

/** As UTF-8; not the same everywhere, and with characters of more than one byte. */
function textOfBytes(bytes: number): string {
  const line = Array.from({ length: 100 }, (_, index) => `${index} über Größe\n`).join('');
  const ascii = bytes % Buffer.byteLength(line);
  return line.repeat((bytes - ascii) / Buffer.byteLength(line)) + '.'.repeat(ascii);
}

async function refusal(call: () => Promise<RpcAnswer>): Promise<RpcAnswer> {
  const begunAt = performance.now();
  const answer = await call();
  expect(performance.now() - begunAt).toBeLessThan(REFUSED_WITHIN_MS);
  expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/);
  expect(answer.body).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } });
  return answer;
}

function requestOf(parts: readonly unknown[], fields = {}): string {
  const params = { message: { ...message('', fields), parts } };
  return JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'SendMessage', params });
}

describe('with the default limit of 1 MiB', () => {
  const deployment = sharedDeployment();

  it('takes what is below it, refuses what is above, and still answers and is answered', async () => {
    const asked = (await deployment().send('ask')).body.result.task as Task;

    for (const bytes of [90_000, 150_000]) {
      const { body } = await deployment().send(`echo ${textOfBytes(bytes)}`);
      expect(answerOf(body.result.task as Task) === textOfBytes(bytes)).toBe(true);
    }
    for (const bytes of [1_100_000, 30_000_000]) {
      const { status, body } = await refusal(() => deployment().send(`echo ${textOfBytes(bytes)}`));
      expect({ status, code: body.error.code }).toEqual({ status: 413, code: -32600 });
      expect(body.error.message).toContain('1048576');
    }
    const tooLong = { message: { taskId: asked.id } };
    expect(await refusal(() => deployment().send(textOfBytes(3_000_000), tooLong))).toMatchObject({ status: 413 });

    const deep = '['.repeat(10_000) + ']'.repeat(10_000);
    const nested = await refusal(() => deployment().post(requestOf([{ data: '@' }]).replace('"@"', deep)));
    expect(nested.body.error).toMatchObject({ code: -32602, message: expect.stringContaining('nested') });
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const packed = await refusal(() => deployment().post(bomb, { headers: { 'Content-Encoding': 'gzip' } }));
    expect(packed.status).toBe(415);
    const bytes = await refusal(() => deployment().post(Buffer.from([0x22, 0xff, 0xfe, 0x22])));
    expect(bytes.body.error.code).toBe(-32700);

    const body = requestOf([{ text: 'echo lied' }]);
    // More than there is: the client never ends its request, and closes when it has waited enough.
    expect(await rawPost(deployment(), body, body.length + 100, 'close')).toBe('');
    // Less than there is: what was announced is no JSON, or the rest no HTTP, whichever is found first.
    const cut = await rawPost(deployment(), body, 40, 'half-close');
    expect(cut).toMatch(/^HTTP\/1\.1 (200|400) /);
    expect(cut).toMatch(/Content-Type: application\/json/i);
    expect(cut).toMatch(/"code":-32[67]00/);
    expect(await deployment().calls({ event: 'run', text: 'echo lied' })).toEqual([]);
    // And a number that is above the limit: refused before a byte of it has come.
    expect(await rawPost(deployment(), '', 2_000_000_000, 'half-close')).toMatch(/^HTTP\/1\.1 413/);

    const answered = await deployment().send('blue', { message: { taskId: asked.id } });
    expect(answerOf(answered.body.result.task as Task)).toBe('blue');
  });
});

describe('with the limit raised to 8 MiB', () => {
  const deployment = sharedDeployment({ settings: 'limits: { body_bytes: 8388608 }' });

  /** A machine that is too busy may say so (503): the client sends the same again. */
  async function completed(request: string): Promise<Task> {
    const id = await eventually(async () => (await deployment().post(request)).body.result?.task.id as string);
    return deployment().reaches(id, 'TASK_STATE_COMPLETED');
  }

  it.each([1_900_000, 2_200_000, 4_500_000])('takes a text of %d bytes and gives it back as it was', async (bytes) => {
    const sent = `echo ${textOfBytes(bytes)}`;
    const task = await completed(requestOf([{ text: sent }]));
    expect(task.history?.[0]?.parts[0]?.text === sent).toBe(true);
    const url = task.artifacts?.[0]?.parts[0]?.url ?? '';
    const file = await fetch(url, { headers: deployment().headers() });
    expect((await file.text()) === textOfBytes(bytes)).toBe(true);
    expect(await deployment().calls({ event: 'run', messageId: task.history?.[0]?.messageId ?? '' })).toHaveLength(1);
  });

  it.each<[string, readonly Part[], object]>([
    ['3 MB of bytes', [{ text: 'echo raw' }, { raw: Buffer.alloc(3_000_000, 'bytes\0\xff').toString('base64') }], {}],
    [
      '2,000 parts',
      [{ text: 'echo' }, ...Array.from({ length: 2_000 }, (_, index) => ({ text: `part ${index}` }))],
      {},
    ],
    ['1 MB of metadata', [{ text: 'echo metadata' }], { metadata: { note: textOfBytes(1_000_000) } }],
  ])('takes %s', async (_what, parts, fields) => {
    const task = await completed(requestOf(parts, fields));
    expect(JSON.stringify(task.history?.[0]?.parts) === JSON.stringify(parts)).toBe(true);
    expect(task.history?.[0]).toMatchObject(fields);
  });

  it('takes an answer of 3 MB', async () => {
    const asked = (await deployment().send('ask')).body.result.task as Task;
    const answer = textOfBytes(3_000_000);
    await eventually(async () => {
      const fields = { taskId: asked.id, messageId: 'answer' };
      return (await deployment().send(answer, { message: fields })).status === 200;
    });
    const task = await deployment().reaches(asked.id, 'TASK_STATE_COMPLETED');
    const file = await fetch(task.artifacts?.[0]?.parts[0]?.url ?? '', { headers: deployment().headers() });
    expect((await file.text()) === answer).toBe(true);
    expect(await deployment().calls({ event: 'returned', messageId: task.history?.[0]?.messageId ?? '' })).toHaveLength(
      1,
    );
  });
});

function answerOf({ artifacts = [] }: Task): string | undefined {
  return artifacts.find(({ artifactId }) => artifactId === 'answer')?.parts[0]?.text;
}

/** A request with a Content-Length of the test's own; answers all that the server says until the connection is over. */
async function rawPost(
  deployment: Deployment,
  body: string,
  contentLength: number,
  end: 'close' | 'half-close',
): Promise<string> {
  const { hostname, port, host } = new URL(deployment.url());
  const socket = connect(Number(port), hostname);
  const headers = { ...deployment.headers(), Host: host, Connection: 'close', 'Content-Length': String(contentLength) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /a2a HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  if (end === 'close') {
    // Until the server has seen it: another request has come and gone.
    await deployment.rpc('GetTask', { id: 'stub-none' });
    socket.destroy();
    return '';
  }
  return readText(socket);
}
