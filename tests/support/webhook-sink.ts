/** H: a webhook on loopback that is held, fails, hangs and comes back, as the test wants. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StreamResponse, Task } from '../../src/domain/a2a.ts';
import { eventually } from './eventually.ts';

export interface Delivery {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: StreamResponse;
  /** What it was answered; absent where it was left hanging. */
  readonly status?: number;
  readonly atMs: number;
}

/** The status to answer with; `hang`: none, ever. */
export type SinkAnswer = number | 'hang' | { readonly status: number; readonly headers: Record<string, string> };

export interface WebhookSink extends AsyncDisposable {
  readonly port: number;
  readonly host: string;
  url(path?: string): string;
  /** All that came, in order, also what was not taken. */
  readonly deliveries: readonly Delivery[];
  /** The states that were taken, in order, without repeats. */
  states(): readonly string[];
  /** What to answer from now on: the first ones one by one, the last for ever. */
  answer(...answers: SinkAnswer[]): void;
  /** Holds every answer back until what is returned is called. */
  hold(): () => void;
  until(check: (sink: WebhookSink) => boolean, what?: string): Promise<void>;
}

export async function startWebhookSink(): Promise<WebhookSink> {
  const deliveries: Delivery[] = [];
  let answers: SinkAnswer[] = [200];
  let gate: Promise<unknown> = Promise.resolve();
  const hanging: ServerResponse[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
      const { status, headers } = typeof answer === 'object' ? answer : { status: answer, headers: {} };
      deliveries.push({
        path: request.url ?? '',
        headers: request.headers,
        body: JSON.parse(Buffer.concat(chunks).toString()) as StreamResponse,
        ...(status !== 'hang' && { status }),
        atMs: Date.now(),
      });
      if (status === 'hang') hanging.push(response);
      else void gate.then(() => response.writeHead(status, headers).end());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sink: WebhookSink = {
    port,
    host: `127.0.0.1:${port}`,
    url: (path = '/hook') => `http://127.0.0.1:${port}${path}`,
    deliveries,
    states: () => statesOf(deliveries),
    answer(...next) {
      answers = next;
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      gate = promise;
      return () => resolve(undefined);
    },
    until: async (check, what = 'the webhook gets it') => {
      await eventually(
        () => {
          if (check(sink)) return true;
          throw new Error(`${what}: ${JSON.stringify(deliveries.map(({ body, status }) => [stateOf(body), status]))}`);
        },
        { timeoutMs: 90_000 },
      );
    },
    async [Symbol.asyncDispose]() {
      for (const response of hanging) response.destroy();
      server.close().closeAllConnections();
      await once(server, 'close');
    },
  };
  return sink;
}

/** The states of what was taken, in order, without repeats. */
export function statesOf(deliveries: readonly Delivery[]): readonly string[] {
  return deliveries
    .filter(({ status = 0 }) => status >= 200 && status < 300)
    .flatMap(({ body }) => stateOf(body) ?? [])
    .filter((state, index, all) => state !== all[index - 1]);
}

/** In short: `WORKING`. */
function stateOf(body: StreamResponse | Task): string | undefined {
  const status =
    'statusUpdate' in body
      ? body.statusUpdate.status
      : 'task' in body
        ? body.task.status
        : 'status' in body
          ? body.status
          : undefined;
  return status?.state.replace('TASK_STATE_', '');
}
