/** Stands between a process and Temporal, and holds what a test names: a call on its way there, or its reply on the way back. */
import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  constants,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

export interface HeldCall {
  /** Name of the gRPC method, without its service. */
  readonly method: string;
  /** The call or its reply has this in it. */
  readonly contains?: string;
  /** `call`: Temporal never sees it; `reply`: it has done what it was told, and who called does not know. */
  readonly at: 'call' | 'reply';
  /** So many that match are let through before. */
  readonly skip?: number;
}

export interface Hold {
  /** Something is held; every further call that matches is held, too. */
  readonly reached: Promise<unknown>;
  /** Lets go of what is held. What belongs to a process that has died meanwhile is gone. */
  release(): void;
}

export interface GrpcProxy extends AsyncDisposable {
  readonly address: string;
  hold(call: HeldCall): Hold;
}

interface Waiting extends Hold {
  readonly call: HeldCall;
  readonly released: Promise<unknown>;
  readonly reach: () => void;
  passed: number;
}

interface Reply {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly trailers: IncomingHttpHeaders | undefined;
}

/** @param target `host:port`, asked at each connection. All calls are unary; each is read whole before it goes on. A connection dies with the one behind it, in both directions. */
export async function startGrpcProxy(target: () => string): Promise<GrpcProxy> {
  const holds = new Set<Waiting>();
  const sessions = new Map<ServerHttp2Session, ClientHttp2Session>();
  const server = createServer();
  server.on('session', (session) => {
    const upstream = connect(`http://${target()}`);
    sessions.set(session, upstream);
    for (const each of [session, upstream]) {
      each.on('error', () => undefined);
      each.on('close', () => {
        sessions.delete(session);
        session.destroy();
        upstream.destroy();
      });
    }
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    relay(stream, headers).catch(() => {
      if (!stream.destroyed) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    });
  });

  async function relay(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const upstream = stream.session && sessions.get(stream.session as ServerHttp2Session);
    const method = String(headers[':path']).split('/').at(-1) ?? '';
    const body = await readAll(stream);
    const said = textOf(body);
    await pass({ method, at: 'call' }, [said]);
    if (isGone(stream) || upstream === undefined || upstream.destroyed) throw new Error('Nobody is there any more');
    const reply = await ask(upstream, stream, headers, body);
    await pass({ method, at: 'reply' }, [said, textOf(reply.body)]);
    if (!isGone(stream)) answer(stream, reply);
  }

  async function pass({ method, at }: HeldCall, texts: readonly Buffer[]): Promise<void> {
    for (const hold of [...holds]) {
      const { contains = '', skip = 0, ...call } = hold.call;
      if (call.method !== method || call.at !== at || !texts.some((text) => text.includes(contains))) continue;
      if (hold.passed++ < skip) continue;
      hold.reach();
      await hold.released;
    }
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold(call) {
      const [reached, released] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
      const hold: Waiting = {
        call,
        reached: reached.promise,
        reach: () => reached.resolve(undefined),
        passed: 0,
        released: released.promise,
        release() {
          holds.delete(hold);
          released.resolve(undefined);
        },
      };
      holds.add(hold);
      return hold;
    },
    async [Symbol.asyncDispose]() {
      for (const hold of [...holds]) hold.release();
      const closed = once(server, 'close');
      server.close();
      for (const session of [...sessions.keys()]) session.destroy();
      await closed;
    },
  };
}

/** Long polls are given up by who called: then they end at Temporal, too. */
async function ask(
  upstream: ClientHttp2Session,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  body: Buffer,
): Promise<Reply> {
  const request = upstream.request({ ...ownHeaders(headers), ':method': 'POST', ':path': headers[':path'] });
  stream.once('close', () => request.close(constants.NGHTTP2_CANCEL));
  let trailers: IncomingHttpHeaders | undefined;
  request.on('trailers', (given) => (trailers = given));
  request.end(body);
  const read = readAll(request);
  const [given] = (await Promise.race([once(request, 'response'), read.then(() => [])])) as [IncomingHttpHeaders?];
  const all = await read;
  if (given === undefined) throw new Error('The call has had no reply');
  return { headers: given, body: all, trailers };
}

function answer(stream: ServerHttp2Stream, { headers, body, trailers }: Reply): void {
  const head = { ...ownHeaders(headers), ':status': Number(headers[':status']) };
  if (trailers === undefined) {
    stream.respond(head, { endStream: true, sendDate: false } as object);
    return;
  }
  stream.respond({ ...head }, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers(ownHeaders(trailers)));
  stream.end(body);
}

/** Asked anew each time: streams die while something is awaited. */
function isGone(stream: ServerHttp2Stream): boolean {
  return stream.destroyed;
}

function ownHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':')));
}

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The message behind gRPC's five bytes: whether it is compressed, and its length. */
function textOf(body: Buffer): Buffer {
  const bytes = body.subarray(5);
  return body[0] === 1 ? gunzipSync(bytes) : bytes;
}
