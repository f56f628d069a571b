import { isAbsolute, relative, resolve, sep } from 'node:path';
import { jsonDigest } from '../../contract/canonical-json.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import type { Pipeline, Publication } from '../../domain/pipeline.ts';
import { didYouMean } from '../did-you-mean.ts';
import { readShape } from '../read-shape.ts';
import { type KeyPath, parseYamlFile, type YamlFile } from '../yaml-file.ts';
import { checkForm } from './check-form.ts';
import { checkPipeline, type Fault, noStage } from './check-pipeline.ts';
import { chooseResults } from './choose-results.ts';
import { loadStage } from './load-stage.ts';
import type { ProblemList } from './problem-list.ts';
import { ProjectFiles } from './project-files.ts';
import { type PipelineShape, pipelineShape, type PublicationShape, type StageShape } from './shapes.ts';

export interface PublicationSource {
  readonly shape: PublicationShape;
  /** The file that the publication stands in, and where. */
  readonly file: YamlFile;
  readonly path: KeyPath;
  /** The publication as it is written. */
  readonly entry: unknown;
  /** Absolute path of the folder of `a2a.yaml`. */
  readonly configDirectory: string;
  /** How messages name a file. */
  readonly nameOf: (absolutePath: string) => string;
}

/** The publication as the workflow gets it; undefined when the list of problems says why there is none. */
export async function loadPublication(
  source: PublicationSource,
  problems: ProblemList,
): Promise<Publication | undefined> {
  const { shape, configDirectory } = source;
  const root = resolve(configDirectory, shape.project_root);
  const files = new ProjectFiles(root);
  const formFaults = checkForm(shape);
  note(source, formFaults, problems);
  if (formFaults.length > 0) return undefined;

  const pipeline = await (shape.pipeline === undefined
    ? loadSkill(source, files, problems)
    : loadPipeline(shape.pipeline, source, files, problems));
  const inputSchema = await loadInputSchema(source, files, problems);
  if (pipeline === undefined) return undefined;
  const chosen = chooseResults(shape, pipeline.stages);
  note(source, chosen.faults, problems);
  if (!('results' in chosen)) return undefined;

  return {
    id: shape.id,
    name: shape.name,
    description: shape.description,
    revision: jsonDigest({ publication: source.entry as Json, files: files.digests() }).toString('hex'),
    root: rootFrom(configDirectory, shape.project_root),
    pipeline,
    plain: shape.executor !== undefined,
    results: chosen.results,
    questionsTo: shape.questions_to ?? 'caller',
    dedupe: shape.dedupe,
    allowedCallers: shape.allowed_callers,
    ...(shape.input_modes !== undefined && { inputModes: shape.input_modes }),
    ...(shape.output_modes !== undefined && { outputModes: shape.output_modes }),
    tags: shape.tags,
    examples: shape.examples,
    ...(shape.goal !== undefined && { goal: shape.goal }),
    ...(inputSchema !== undefined && { inputSchema }),
    ...(shape.text_input !== undefined && { textInput: shape.text_input }),
  };
}

/** A plain skill is a pipeline of one stage, which has the publication's name. */
async function loadSkill(source: PublicationSource, files: ProjectFiles, problems: ProblemList): Promise<Pipeline> {
  const { shape } = source;
  const { id, executor, gates = ['free_text'], timeout, retries, emits, follow_ups } = shape;
  const stage: StageShape = { id, needs: [], executor, gates, timeout, retries, emits, follow_ups };
  const isAnswerable = shape.questions_to !== 'operator';
  return { id, stages: [await loadStage(stage, source, isAnswerable, files, problems)] };
}

async function loadPipeline(
  path: string,
  source: PublicationSource,
  files: ProjectFiles,
  problems: ProblemList,
): Promise<Pipeline | undefined> {
  const at = [...source.path, 'pipeline'];
  const text = await problems.collect(source.file, at, () => files.read(path));
  if (text === undefined) return undefined;
  const read = await problems.collect(source.file, at, async () => {
    const file = parseYamlFile(text, source.nameOf(files.resolve(path)));
    return { file, shape: readShape(pipelineShape, file) };
  });
  if (read === undefined) return undefined;

  const { file, shape } = read;
  const faults = checkPipeline(shape);
  for (const fault of faults) problems.add(file, fault.path, fault.message, fault.at);
  note(source, checkAnswerable(source.shape, shape), problems);
  const answerable = source.shape.caller_answerable_stages ?? [];
  const stages = [];
  for (const [index, stage] of shape.stages.entries()) {
    const place = { file, path: ['stages', index] };
    stages.push(await loadStage(stage, place, answerable.includes(stage.id), files, problems));
  }
  // With a broken graph the question of the last stage has no answer.
  return faults.length > 0 ? undefined : { id: shape.id, stages };
}

/** A caller answers in free text only: nothing else may be asked by a stage that is the caller's to answer. */
function checkAnswerable({ caller_answerable_stages: ids = [] }: PublicationShape, { stages }: PipelineShape): Fault[] {
  return ids.flatMap((id, index) => {
    const path = ['caller_answerable_stages', index];
    const stage = stages.find((each) => each.id === id);
    if (stage === undefined) return [{ path, message: noStage(id, stages) }];
    const kinds = [...(stage.gates ?? []), ...(stage.gate === undefined ? [] : [stage.gate.kind])];
    const isFreeText = kinds.length > 0 && kinds.every((kind) => kind === 'free_text');
    return isFreeText ? [] : [{ path, message: `stage "${id}" must have gates: [free_text], and no others` }];
  });
}

async function loadInputSchema(
  { shape, file, path }: PublicationSource,
  files: ProjectFiles,
  problems: ProblemList,
): Promise<JsonObject | undefined> {
  const { input_schema: source, text_input: property } = shape;
  if (source === undefined) return undefined;
  const schema = await problems.collect(file, [...path, 'input_schema'], () => files.readSchema(source));
  const properties = schema?.['properties'];
  if (property !== undefined && typeof properties === 'object' && properties !== null && !(property in properties)) {
    const hint = didYouMean(property, Object.keys(properties));
    problems.add(file, [...path, 'text_input'], `the input schema has no property "${property}"${hint}`);
  }
  return schema;
}

/** What workers of other machines can resolve for themselves: relative to `a2a.yaml`, unless it is said otherwise. */
function rootFrom(configDirectory: string, projectRoot: string): string {
  if (isAbsolute(projectRoot)) return resolve(projectRoot);
  return relative(configDirectory, resolve(configDirectory, projectRoot)).split(sep).join('/') || '.';
}

function note({ file, path }: PublicationSource, faults: readonly Fault[], problems: ProblemList): void {
  for (const fault of faults) problems.add(file, [...path, ...fault.path], fault.message, fault.at);
}
