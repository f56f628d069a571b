import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Executor } from '../../src/domain/executor.ts';
import type { FunctionExecutorSpec } from '../../src/domain/pipeline.ts';
import { StageFailedError } from '../stage-failed-error.ts';
import type { ExecutorEnvironment } from './executor-factory.ts';

/** A function of a module that the operator configured. Node keeps loaded modules: a changed one needs a new worker. */
export async function createFunctionExecutor(
  spec: FunctionExecutorSpec,
  { configDirectory, facts }: ExecutorEnvironment,
): Promise<Executor> {
  const path = resolve(configDirectory, facts.root, spec.module);
  const module = await load(path);
  const found = Object.hasOwn(module, spec.export) ? module[spec.export] : undefined;
  if (typeof found === 'function') return found as Executor;
  const exported = Object.keys(module).join(', ') || 'nothing';
  const problem =
    found === undefined
      ? `does not export ${spec.export} (it exports ${exported})`
      : `exports ${spec.export}, which is no function`;
  throw new StageFailedError('executor-not-found', `The module ${path} ${problem}`);
}

async function load(path: string): Promise<Readonly<Record<string, unknown>>> {
  let realPath: string;
  try {
    // One file under two names would be two modules.
    realPath = await realpath(path);
  } catch (error) {
    throw new StageFailedError('executor-not-found', `There is no module ${path} on this worker`, error);
  }
  try {
    return (await import(pathToFileURL(realPath).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StageFailedError('executor-not-found', `The module ${path} does not load: ${reason}`, error);
  }
}
