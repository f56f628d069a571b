import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger, WorkerOptions } from '@temporalio/worker';
import { bundleWorkflowCode } from '@temporalio/worker';
import { packageRoot } from './package-root.ts';

/** The folder that holds `src` and `workflows`: the checkout, or `dist` of the package. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The workflow code as a worker takes it: bundled, which takes some seconds, and kept until its sources change: in a checkout
 * beside its packages, else in the data folder.
 */
export async function loadWorkflowCode(
  dataDirectory: string,
  logger: Logger,
): Promise<Pick<WorkerOptions, 'workflowBundle'>> {
  const isCheckout = existsSync(join(ROOT, 'src', 'cli', 'main.ts'));
  const cacheDir = isCheckout ? join(ROOT, 'node_modules', '.cache', 'longhaul') : join(dataDirectory, 'cache');
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

/** Over all that the bundle can hold: workflow code, the domain, and (by their exact versions) packages. */
async function hashSources(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(join(packageRoot(), 'package.json')));
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
