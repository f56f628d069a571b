import { terminalStages } from '../../domain/pipeline-graph.ts';
import type { Publication, Stage } from '../../domain/pipeline.ts';
import { type Fault, noStage } from './check-pipeline.ts';
import type { PublicationShape } from './shapes.ts';

/**
 * The stage whose envelope is the result, and which of its artifacts are the caller's. Where `results` names no stage, it is
 * the only terminal one; where there is no `results` at all, all that the stage emits is the caller's.
 * Paths of faults begin at the publication.
 */
export function chooseResults(
  { results }: Pick<PublicationShape, 'results'>,
  stages: readonly Stage[],
): { readonly results: Publication['results']; readonly faults: readonly [] } | { readonly faults: readonly Fault[] } {
  const terminal = terminalStages(stages);
  const names = terminal.map(({ id }) => id).join(', ');
  const path = ['results', 'stage'];
  if (results?.stage === undefined && terminal.length > 1) {
    return { faults: [{ path, message: `is required, as several stages end the pipeline: ${names}` }] };
  }
  const id = results?.stage ?? terminal[0]?.id ?? '';
  const stage = stages.find((each) => each.id === id);
  if (stage === undefined) return { faults: [{ path, message: noStage(id, stages) }] };
  if (!terminal.includes(stage)) {
    return { faults: [{ path, message: `stage "${id}" is not the last one: others need it; last are: ${names}` }] };
  }
  if (stage.forEach !== undefined) {
    return {
      faults: [{ path, message: `stage "${id}" has for_each; the result must come from a stage that runs once` }],
    };
  }
  const artifacts = results === undefined ? stage.emits : (results.artifacts ?? []);
  const faults = artifacts.flatMap((name, index) =>
    stage.emits.includes(name)
      ? []
      : [{ path: ['results', 'artifacts', index], message: `"${name}" is not among the emits of stage "${id}"` }],
  );
  if (faults.length > 0) return { faults };
  return { results: { stage: id, includePayload: results?.include_payload ?? true, artifacts }, faults: [] };
}
