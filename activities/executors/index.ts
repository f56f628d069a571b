/** The register of executors: a kind is a file here, and a line below. */
import type { Executor } from '../../src/domain/executor.ts';
import type { ExecutorSpec } from '../../src/domain/pipeline.ts';
import { StageFailedError } from '../stage-failed-error.ts';
import { createCommandExecutor } from './command.ts';
import type { ExecutorEnvironment, ExecutorFactory } from './executor-factory.ts';
import { createFunctionExecutor } from './function.ts';

const FACTORY_BY_KIND: {
  readonly [Kind in ExecutorSpec['kind']]: ExecutorFactory<Extract<ExecutorSpec, { kind: Kind }>>;
} = {
  function: createFunctionExecutor,
  command: createCommandExecutor,
};

/** @throws {StageFailedError} `executor-not-found` */
export async function createExecutor(
  spec: ExecutorSpec | undefined,
  environment: ExecutorEnvironment,
): Promise<Executor> {
  const { id } = environment.run.stage;
  if (spec === undefined) throw new StageFailedError('executor-not-found', `Stage ${id} has no executor`);
  // A workflow may be older or newer than this worker.
  if (!Object.hasOwn(FACTORY_BY_KIND, spec.kind)) {
    throw new StageFailedError('executor-not-found', `Stage ${id}: this worker knows no executor of kind ${spec.kind}`);
  }
  const factory = FACTORY_BY_KIND[spec.kind] as ExecutorFactory<ExecutorSpec>;
  return factory(spec, environment);
}
