/** Replicas whose folders are not the same ones, each with its own marks: they would lose what the others have stored. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { writeStoreMarker } from '../../../src/storage/store-marker.ts';
import { findFreePort } from '../../../src/temporal/server/free-port.ts';
import { temporaryFolder, testServer, startOwnServer, uniqueTaskQueue } from '../../support/environment.ts';
import { INIT_FILES } from '../../../src/cli/init-files.ts';
import { longhaul, startLonghaul } from '../run-longhaul.ts';

/** Two machines: a folder with a configuration, and one data folder for each. */
async function machines({ address, namespace } = testServer() as { address: string; namespace: string }) {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(INIT_FILES)) await writeFile(join(folder.path, name), content);
  const place = {
    cwd: folder.path,
    env: {
      LONGHAUL_TASK_QUEUE: uniqueTaskQueue(),
      LONGHAUL_SECRET: 'secret-'.repeat(6),
      LONGHAUL_LOG_LEVEL: 'warn',
    },
  };
  const args = (command: string, machine: string): string[] => [
    ...[command, '--data-dir', machine, '--temporal-address', address, '--namespace', namespace],
    ...['--port', '0', '--operator-port', '0'],
  ];
  const mark = async (machine: string): Promise<void> => {
    await writeStoreMarker(join(folder.path, machine, 'payloads'), 'payloads');
    await writeStoreMarker(join(folder.path, machine, 'artifacts'), 'artifacts');
  };
  return { folder, place, args, mark, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const refused = {
  code: 1,
  stderr: expect.stringMatching(
    /b\/payloads and .*b\/artifacts: not what the other gateways and workers[^]*--replace-stores/,
  ),
};

it('setup, gateway and worker refuse folders that are not those that were set up first', async () => {
  await using rig = await machines();
  const { place, args } = rig;
  const first = await longhaul([...args('setup', 'a'), '--json'], place);
  expect(JSON.parse(first.stdout)).toMatchObject({ areStoresRecorded: true });
  await rig.mark('b'); // set up, but not here: a machine where the shared folder is not mounted
  const others = ['setup', 'gateway', 'worker'].map((command) => longhaul(args(command, 'b'), place));
  for (const ended of await Promise.all(others)) expect(ended).toMatchObject(refused);
  await using _gateway = await startLonghaul(args('gateway', 'a'), place);
}, 120_000);

it('up on a data folder that was deleted refuses what Temporal still has, until it is told that the old one is gone', async () => {
  await using rig = await machines();
  const { place, args, folder } = rig;
  await (await startLonghaul(args('up', 'b'), place))[Symbol.asyncDispose]();
  await rm(join(folder.path, 'b'), { recursive: true });
  expect(await longhaul(args('up', 'b'), place)).toMatchObject(refused);

  expect((await longhaul([...args('setup', 'b'), '--replace-stores'], place)).code).toBe(0);
  await using _up = await startLonghaul(args('up', 'b'), place);
}, 120_000);

it('a gateway that starts while Temporal is away ends once it can see that its folders are others', async () => {
  await using temporal = await startOwnServer();
  await using rig = await machines(temporal);
  const { place, args } = rig;
  expect((await longhaul(args('setup', 'a'), place)).code).toBe(0);
  await rig.mark('b');
  temporal.kill();

  const port = String(await findFreePort(0));
  await using right = await startLonghaul(args('gateway', 'a'), place);
  await using wrong = await startLonghaul([...args('gateway', 'b'), '--port', port], place);
  await temporal.restart();
  expect(await wrong.exited).toEqual({ code: 1, signal: null });
  expect((await fetch(`${String(right.ready['operatorUrl'])}/livez`)).status).toBe(200);
}, 120_000);
