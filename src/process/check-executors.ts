import { realpath } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { provideOwnPackage } from '../../activities/executors/own-package.ts';
import type { FunctionExecutorSpec, Publication } from '../domain/pipeline.ts';

class ExecutorsError extends Error {
  override readonly name = 'ExecutorsError';
}

/**
 * Loads the module of every function executor, so that a misspelt name stops a worker's start and not its first task.
 *
 * @throws {ExecutorsError} that names every module that cannot be loaded and every export that is no function.
 */
export async function checkExecutors(publications: readonly Publication[], configDirectory: string): Promise<void> {
  const problems = new Set<string>();
  for (const { id, root, pipeline } of publications) {
    for (const { id: stageId, executor } of pipeline.stages) {
      if (executor?.kind !== 'function') continue;
      const problem = await problemOf(executor, resolve(configDirectory, root));
      if (problem !== undefined) problems.add(`  ${id}, stage ${stageId}: ${problem}`);
    }
  }
  if (problems.size === 0) return;
  throw new ExecutorsError(`Executors cannot be loaded:\n${[...problems].join('\n')}`);
}

async function problemOf({ module, export: name }: FunctionExecutorSpec, root: string): Promise<string | undefined> {
  const path = resolve(root, module);
  provideOwnPackage();
  let loaded: Record<string, unknown>;
  try {
    loaded = (await import(pathToFileURL(await realpath(path)).href)) as Record<string, unknown>;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isMissing = code === 'ENOENT';
    if (isMissing) return `${path} is not there`;
    return `${path} does not load: ${message.split('\n')[0] ?? ''}${hintFor(path, error)}`;
  }
  if (typeof loaded[name] === 'function') return undefined;
  const functions = Object.keys(loaded).filter((key) => typeof loaded[key] === 'function');
  const has = functions.length === 0 ? 'it exports no function' : `it exports ${functions.join(', ')}`;
  return `${path} has no function "${name}"; ${has}`;
}

/** A package.json that says `"type": "commonjs"`, as `npm init` writes it, makes Node read `import` and `export` as mistakes. */
function hintFor(path: string, error: unknown): string {
  const isMixedUp =
    error instanceof SyntaxError && /import statement outside a module|Unexpected token 'export'/.test(error.message);
  if (!isMixedUp) return '';
  const renamed = path.replace(/\.(ts|js)$/, '.m$1');
  return `; name it ${basename(renamed)}, or put "type": "module" into the package.json above it`;
}
