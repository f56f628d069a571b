import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DefaultLogger, bundleWorkflowCode } from '@temporalio/worker';

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/longhaul-test');

/**
 * The path of the bundle of `workflows/index.ts`, built unless its sources are those of the last run: the bundler takes
 * some seconds, and every worker in the tests needs it.
 */
export async function buildWorkflowBundle(): Promise<string | undefined> {
  const workflowsPath = join(ROOT, 'workflows/index.ts');
  if (!existsSync(workflowsPath)) return undefined;
  const bundlePath = join(CACHE, `workflows-${await hashSources()}.cjs`);
  if (existsSync(bundlePath)) return bundlePath;
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') });
  await mkdir(CACHE, { recursive: true });
  const temporary = `${bundlePath}.${process.pid}`;
  await writeFile(temporary, code);
  await rename(temporary, bundlePath);
  return bundlePath;
}

/** All that the bundle can hold: workflow code, the domain, and the versions of the packages. */
async function hashSources(): Promise<string> {
  const hash = createHash('sha256');
  const paths: string[] = ['package-lock.json'];
  for await (const path of glob(['workflows/**/*.ts', 'src/domain/**/*.ts'], { cwd: ROOT })) paths.push(path);
  for (const path of paths.sort())
    hash
      .update(path)
      .update('\0')
      .update(await readFile(join(ROOT, path)))
      .update('\0');
  return hash.digest('hex').slice(0, 16);
}
