import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger, WorkerOptions } from '@temporalio/worker';
import { bundleWorkflowCode } from '@temporalio/worker';

/** The folder that holds `src` and `workflows`: the checkout, or `dist` of the package. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Written by `npm run build`. */
const PREBUILT = join(ROOT, 'workflow-bundle.js');

/**
 * The workflow code as a worker takes it. The package brings its bundle; a checkout makes one, which takes some seconds,
 * and keeps it in `cacheDir` until its sources change.
 */
export async function loadWorkflowCode(
  cacheDir: string,
  logger: Logger,
): Promise<Pick<WorkerOptions, 'workflowBundle'>> {
  if (existsSync(PREBUILT)) return { workflowBundle: { codePath: PREBUILT } };
  const codePath = join(cacheDir, `workflows-${await hashSources()}.cjs`);
  if (!existsSync(codePath)) {
    const { code } = await bundleWorkflowCode({ workflowsPath: workflowsPath(), logger });
    await mkdir(cacheDir, { recursive: true });
    const staged = `${codePath}.${process.pid}`;
    await writeFile(staged, code);
    await rename(staged, codePath);
  }
  return { workflowBundle: { codePath } };
}

function workflowsPath(): string {
  const source = join(ROOT, 'workflows', 'index.ts');
  return existsSync(source) ? source : join(ROOT, 'workflows', 'index.js');
}

/** Over all that the bundle can hold: workflow code and the domain. */
async function hashSources(): Promise<string> {
  const hash = createHash('sha256').update(process.version);
  const paths: string[] = [];
  for await (const path of glob(['workflows/**/*.{ts,js}', 'src/domain/**/*.{ts,js}'], { cwd: ROOT })) paths.push(path);
  for (const path of paths.sort())
    hash
      .update(path)
      .update('\0')
      .update(await readFile(join(ROOT, path)))
      .update('\0');
  return hash.digest('hex').slice(0, 16);
}
