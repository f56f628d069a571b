/** What the stages of a pipeline mean together. */
import { ancestorsOf, findCycle, unknownNeeds } from '../../domain/pipeline-graph.ts';
import { didYouMean } from '../did-you-mean.ts';
import type { KeyPath } from '../yaml-file.ts';
import type { PipelineShape, StageShape } from './shapes.ts';

/** Something wrong at a path of the file that the stages stand in. */
export interface Fault {
  readonly path: KeyPath;
  readonly message: string;
  readonly at?: 'key';
}

export function checkPipeline({ stages }: PipelineShape): readonly Fault[] {
  const named = [...duplicateIds(stages), ...danglingNeeds(stages)];
  // Names that mean nothing, or two things, would make faults of a graph that is not meant.
  const isGraph = named.length === 0;
  return [
    ...named,
    ...(isGraph ? circles(stages) : []),
    ...stages.flatMap((stage, index) => [
      ...checkForEach(stage, stages, isGraph).map((message) => ({ path: ['stages', index, 'for_each'], message })),
      ...checkStage(stage).map((fault) => ({ ...fault, path: ['stages', index, ...fault.path] })),
    ]),
  ];
}

function duplicateIds(stages: readonly StageShape[]): Fault[] {
  const ids = stages.map(({ id }) => id);
  return ids.flatMap((id, index) =>
    ids.indexOf(id) === index
      ? []
      : [{ path: ['stages', index, 'id'], message: `"${id}" is the name of stages[${ids.indexOf(id)}]` }],
  );
}

function danglingNeeds(stages: readonly StageShape[]): Fault[] {
  return unknownNeeds(stages).map(({ stage, need, name }) => ({
    path: ['stages', stage, 'needs', need],
    message: noStage(name, stages),
  }));
}

export function noStage(name: string, stages: readonly { readonly id: string }[]): string {
  const ids = stages.map(({ id }) => id);
  return `no stage is named "${name}"${didYouMean(name, ids)}`;
}

function circles(stages: readonly StageShape[]): Fault[] {
  const [first, second, ...rest] = findCycle(stages) ?? [];
  if (first === undefined || second === undefined) return [];
  const index = stages.findIndex(({ id }) => id === first);
  const need = stages[index]?.needs.indexOf(second) ?? 0;
  const walk = [first, second, ...rest].join(' -> ');
  return [{ path: ['stages', index, 'needs', need], message: `the stages need each other in a circle: ${walk}` }];
}

function checkForEach(
  { id, for_each: pointer }: StageShape,
  stages: readonly StageShape[],
  isGraph: boolean,
): string[] {
  if (pointer === undefined) return [];
  const [empty, first, field] = pointer.split('/');
  const isInEnvelope = field === 'payload' || field === 'artifacts';
  if (empty !== '' || first === undefined || !isInEnvelope || /~(?![01])/.test(pointer)) {
    return [`must be a JSON pointer into a stage's envelope, such as /plan/payload/questions, and is "${pointer}"`];
  }
  if (!stages.some((stage) => stage.id === first)) return [noStage(first, stages)];
  if (!isGraph || ancestorsOf(stages, id).has(first)) return [];
  return [`this stage does not need "${first}", neither near nor far`];
}

/** Keys that say how an executor is run. */
const EXECUTOR_KEYS = [
  'for_each',
  'side_by_side',
  'gates',
  'timeout',
  'retries',
  'emits',
  'output_schema',
  'follow_ups',
] as const;

function checkStage(stage: StageShape): Fault[] {
  const faults: Fault[] = [];
  if (stage.executor === undefined && stage.gate === undefined) {
    faults.push({ path: [], message: `stage "${stage.id}" needs an executor or a gate` });
  } else if (stage.executor === undefined) {
    const idle = EXECUTOR_KEYS.filter((key) => stage[key] !== undefined);
    faults.push(
      ...idle.map((key) => ({ path: [key], message: 'means nothing without an executor', at: 'key' as const })),
    );
  }
  if (stage.side_by_side !== undefined && stage.for_each === undefined && stage.executor !== undefined) {
    faults.push({ path: ['side_by_side'], message: 'means nothing without for_each', at: 'key' });
  }
  return faults;
}
