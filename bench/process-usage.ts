import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const MB = 1_000_000;
/** Of Linux' /proc, everywhere. */
const TICKS_PER_SECOND = 100;

/** Resident memory in MB. */
export async function memoryOf(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return (Number(stdout) * 1024) / MB;
}

/** What processes use of one core, in percent, while nothing happens for so long. */
export async function cpuAtRest(pids: readonly number[], restMs: number): Promise<number[]> {
  const before = await Promise.all(pids.map(cpuSecondsOf));
  const begunAt = performance.now();
  await delay(restMs);
  const after = await Promise.all(pids.map(cpuSecondsOf));
  const seconds = (performance.now() - begunAt) / 1000;
  return after.map((used, index) => ((used - (before[index] ?? 0)) / seconds) * 100);
}

/** Milliseconds of CPU time that each process uses while `work` is done. */
export async function cpuOf(pids: readonly number[], work: () => Promise<unknown>): Promise<number[]> {
  const before = await Promise.all(pids.map(cpuSecondsOf));
  await work();
  const after = await Promise.all(pids.map(cpuSecondsOf));
  return after.map((used, index) => (used - (before[index] ?? 0)) * 1000);
}

async function cpuSecondsOf(pid: number): Promise<number> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // Behind the name, which may hold anything: fields 14 and 15, user and system time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  }
  const { stdout } = await promisify(execFile)('ps', ['-o', 'time=', '-p', String(pid)]);
  return stdout
    .trim()
    .split(/[:-]/)
    .reduce((seconds, field) => seconds * 60 + Number(field), 0);
}
