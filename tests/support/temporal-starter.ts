/**
 * A process that finds or starts Temporal on the folder of its first argument, says so as a line of JSON, and goes on
 * until it is killed or gets SIGTERM, when it disposes.
 */
import { once } from 'node:events';
import { findOrStartTemporal } from '../../src/temporal/server/find-or-start-temporal.ts';

export interface Started {
  readonly address: string;
  readonly pid: number;
  readonly startedHere: boolean;
}

const dataDir = process.argv[2];
if (!dataDir) throw new Error('Usage: temporal-starter.ts <data folder>');
const stopped = once(process, 'SIGTERM');
const keepAlive = setInterval(() => undefined, 60_000);
const server = await findOrStartTemporal({ dataDir, port: 0, uiPort: 0, durability: 'normal' });
process.stdout.write(`${JSON.stringify(server)}\n`);
await stopped;
await server[Symbol.asyncDispose]();
clearInterval(keepAlive);
