import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Section } from '../bench.ts';
import { distribution } from '../figures/figure.ts';
import { createJsonClient } from '../http/json-client.ts';
import { timedTimes } from '../in-parallel.ts';

/** What the bench's own HTTP costs: it is part of every figure of Longhaul, and of none of the raw client's. */
export const floor: Section = {
  name: 'floor',
  about: "the bench's own HTTP, against a server that does nothing",
  async measure({ sizes: { rounds, readsPerRound } }) {
    const child = fork(fileURLToPath(new URL('../http/empty-server.ts', import.meta.url)));
    const exited = once(child, 'exit');
    try {
      const [port] = (await once(child, 'message')) as [number];
      using http = createJsonClient({ 'A2A-Version': '1.0' });
      const post = (): Promise<unknown> => http.post(`http://127.0.0.1:${port}/a2a`, { jsonrpc: '2.0', id: 1 });
      await timedTimes(50, post);
      return [
        { what: 'an empty HTTP exchange', product: distribution(await timedTimes(rounds * readsPerRound, post)) },
      ];
    } finally {
      child.disconnect();
      await exited;
    }
  },
};
