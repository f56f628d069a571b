import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from '@jest/globals';
import { connectTemporal, isTemporalHealthy } from '../../../src/temporal/connection.ts';
import { findServerProcess, isAlive } from '../../../src/temporal/server/find-server-process.ts';
import { findOrStartTemporal } from '../../../src/temporal/server/find-or-start-temporal.ts';
import { setUpNamespace } from '../../../src/temporal/setup/set-up-namespace.ts';
import { temporaryFolder, testServer } from '../../support/environment.ts';
import type { Started } from '../../support/temporal-starter.ts';
import { eventually } from '../../support/eventually.ts';

const ports = { port: 0, uiPort: 0, durability: 'normal' } as const;
const children = new Set<ChildProcess>();
const folders = new Set<string>();

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  for (const dataDir of folders) {
    const left = await findServerProcess(join(dataDir, 'temporal.db'));
    if (left) process.kill(left.pid, 'SIGKILL');
  }
  folders.clear();
});

/** A process of its own that finds or starts the server. */
async function spawnStarter(dataDir: string): Promise<{ child: ChildProcess; started: Started }> {
  folders.add(dataDir);
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../support/temporal-starter.ts'), dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  const line = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  if (line.done) throw new Error('The starter ended without a server');
  return { child, started: JSON.parse(line.value) as Started };
}

describe('findOrStartTemporal', () => {
  it('uses the server that a killed process left, with all that it holds', async () => {
    await using folder = await temporaryFolder();
    const first = await spawnStarter(folder.path);
    expect(first.started.startedHere).toBe(true);
    const connection = await connectTemporal({ address: first.started.address });
    await setUpNamespace(connection, { namespace: 'kept' });
    first.child.kill('SIGKILL');
    await once(first.child, 'close');

    const second = await findOrStartTemporal({ dataDir: folder.path, ...ports });

    expect(second).toMatchObject({ address: first.started.address, pid: first.started.pid, startedHere: false });
    await connection.workflowService.describeNamespace({ namespace: 'kept' });
    await connection.close();
    // The starter is gone, so the last user stops the server.
    await second[Symbol.asyncDispose]();
    expect(isAlive(first.started.pid)).toBe(false);
  });

  it('finds a left server also when nothing was noted about it', async () => {
    await using folder = await temporaryFolder();
    const { child, started } = await spawnStarter(folder.path);
    child.kill('SIGKILL');
    await once(child, 'close');
    await rm(join(folder.path, 'temporal.json'));

    await using server = await findOrStartTemporal({ dataDir: folder.path, ...ports });

    expect(server.pid).toBe(started.pid);
  });

  it('starts one server when several processes start at once, and the last one to leave stops it', async () => {
    await using folder = await temporaryFolder();
    const starters = await Promise.all([1, 2, 3].map(() => spawnStarter(folder.path)));

    expect(new Set(starters.map(({ started }) => started.pid)).size).toBe(1);
    expect(starters.filter(({ started }) => started.startedHere)).toHaveLength(1);

    const { pid, address } = starters[0]?.started ?? { pid: 0, address: '' };
    for (const [index, { child }] of starters.entries()) {
      expect(await isTemporalHealthy({ address })).toBe(true);
      child.kill('SIGTERM');
      const [exitCode] = (await once(child, 'close')) as [number | null];
      expect([index, exitCode]).toEqual([index, 0]);
    }
    expect(isAlive(pid)).toBe(false);
  });

  it('starts a new server on the same file after the old one was killed, and what was written is there', async () => {
    await using folder = await temporaryFolder();
    folders.add(folder.path);
    const first = await findOrStartTemporal({ dataDir: folder.path, ...ports, durability: 'full' });
    const connection = await connectTemporal({ address: first.address });
    await setUpNamespace(connection, { namespace: 'kept' });
    await connection.close();
    process.kill(first.pid ?? 0, 'SIGKILL');
    await eventually(() => !isAlive(first.pid ?? 0));

    await using second = await findOrStartTemporal({ dataDir: folder.path, ...ports });

    expect(second.startedHere).toBe(true);
    const again = await connectTemporal({ address: second.address });
    await again.workflowService.describeNamespace({ namespace: 'kept' });
    await again.close();
    await first[Symbol.asyncDispose](); // must not stop the second one
    expect(await isTemporalHealthy({ address: second.address })).toBe(true);
    expect(JSON.parse(await readFile(join(folder.path, 'temporal.json'), 'utf8'))).toMatchObject({
      address: second.address,
      uiUrl: second.uiUrl,
      pid: second.pid,
      users: [process.pid],
    });
  });

  it('takes another port when the preferred one is taken, and leaves the server there alone', async () => {
    await using folder = await temporaryFolder();
    folders.add(folder.path);
    const taken = Number(testServer().address.split(':')[1]);
    await using server = await findOrStartTemporal({ dataDir: folder.path, ...ports, port: taken });
    expect(server.startedHere).toBe(true);
    expect(server.address).not.toBe(testServer().address);
  });

  it('uses a named server as it is and does not stop it', async () => {
    await using folder = await temporaryFolder();
    const { address } = testServer();
    {
      await using server = await findOrStartTemporal({ address, dataDir: folder.path });
      expect(server).toMatchObject({ address, startedHere: false });
    }
    expect(await isTemporalHealthy({ address })).toBe(true);
  });

  it('serves its UI', async () => {
    await using folder = await temporaryFolder();
    folders.add(folder.path);
    await using server = await findOrStartTemporal({ dataDir: folder.path, ...ports });
    const response = await eventually(() => fetch(server.uiUrl ?? ''));
    expect(response.status).toBe(200);
  });
});
