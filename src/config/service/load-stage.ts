import type { Stage } from '../../domain/pipeline.ts';
import type { KeyPath, YamlFile } from '../yaml-file.ts';
import type { ProblemList } from './problem-list.ts';
import type { ProjectFiles } from './project-files.ts';
import type { StageShape } from './shapes.ts';

const RETRIES_DEFAULT = 3;
const SIDE_BY_SIDE_DEFAULT = 16;

/** A stage as the workflow gets it; the files that it names are there, and its schema is one. */
export async function loadStage(
  shape: StageShape,
  place: { readonly file: YamlFile; readonly path: KeyPath },
  callerAnswerable: boolean,
  files: ProjectFiles,
  problems: ProblemList,
): Promise<Stage> {
  await checkExecutor(shape, place, files, problems);
  const { output_schema: schema } = shape;
  const outputSchema =
    schema === undefined
      ? undefined
      : await problems.collect(place.file, [...place.path, 'output_schema'], () => files.readSchema(schema));
  return {
    id: shape.id,
    needs: shape.needs,
    sideBySide: shape.side_by_side ?? SIDE_BY_SIDE_DEFAULT,
    gates: shape.gates ?? [],
    retries: shape.retries ?? RETRIES_DEFAULT,
    emits: shape.emits ?? [],
    followUps: shape.follow_ups ?? false,
    callerAnswerable,
    ...(shape.executor !== undefined && { executor: shape.executor }),
    ...(shape.for_each !== undefined && { forEach: shape.for_each }),
    ...(shape.gate !== undefined && { gate: shape.gate }),
    ...(shape.timeout !== undefined && { timeoutMs: shape.timeout }),
    ...(outputSchema !== undefined && { outputSchema }),
  };
}

/** Whether the module has the export is found out by the worker, which runs it. */
async function checkExecutor(
  { executor }: StageShape,
  { file, path }: { readonly file: YamlFile; readonly path: KeyPath },
  files: ProjectFiles,
  problems: ProblemList,
): Promise<void> {
  if (executor?.kind === 'function') {
    await problems.collect(file, [...path, 'executor', 'module'], () => files.read(executor.module));
  } else if (executor?.kind === 'command') {
    const [program = '', ...args] = executor.command;
    // A name alone is looked for in PATH, by the worker.
    if (/[/\\]/.test(program)) {
      await problems.collect(file, [...path, 'executor', 'command', 0], () => files.read(program));
    }
    for (const arg of args) await problems.collect(file, [...path, 'executor', 'command'], () => files.noteIfFile(arg));
  }
}
