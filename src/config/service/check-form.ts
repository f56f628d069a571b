import type { PublicationShape } from './shapes.ts';
import type { Fault } from './check-pipeline.ts';

type Key = keyof PublicationShape;

/** Keys that only a publication with an `executor` of its own takes; a pipeline's stages have their own. */
const SKILL_KEYS: readonly Key[] = ['gates', 'timeout', 'retries', 'emits', 'follow_ups', 'questions_to'];
const PIPELINE_KEYS: readonly Key[] = ['caller_answerable_stages'];

/** A publication is a pipeline, or a plain skill: each has keys that the other does not take. Paths begin at the publication. */
export function checkForm(shape: PublicationShape): readonly Fault[] {
  const { pipeline, executor } = shape;
  if (pipeline === undefined && executor === undefined) {
    return [{ path: [], message: `publication "${shape.id}" needs a pipeline or an executor` }];
  }
  if (pipeline !== undefined && executor !== undefined) {
    return [{ path: ['executor'], message: 'cannot stand beside pipeline', at: 'key' }];
  }
  const [form, strange] = executor === undefined ? ['a pipeline', SKILL_KEYS] : ['an executor', PIPELINE_KEYS];
  const faults: Fault[] = strange
    .filter((key) => shape[key] !== undefined)
    .map((key) => ({ path: [key], message: `means nothing beside ${form}`, at: 'key' }));
  if (shape.text_input !== undefined && shape.input_schema === undefined) {
    faults.push({ path: ['text_input'], message: 'means nothing without input_schema', at: 'key' });
  }
  return faults;
}
