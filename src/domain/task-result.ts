/** What a completed task shows: a plain skill's answer, or the published result of a pipeline. */
import type { Artifact, Part } from './a2a.ts';
import type { ArtifactRef, Envelope } from './envelope.ts';
import type { Publication } from './pipeline.ts';
import { artifactUri } from './stage-run.ts';

/** Longer answers are not said a second time in the closing status. */
const STATUS_TEXT_MAX = 2000;

export interface TaskResult {
  readonly artifacts: readonly Artifact[];
  /** Text of the closing status. */
  readonly text: string | undefined;
}

/**
 * @param seen `shown`: IDs of the artifacts that the caller has seen already; `isAnswered`: the try that made the envelope has
 * shown its answer itself. One that an earlier try has shown is replaced.
 */
export function taskResult(
  publication: Publication,
  envelope: Envelope,
  seen: { shown: ReadonlySet<string>; isAnswered: boolean },
): TaskResult {
  const text = envelope.summary.length <= STATUS_TEXT_MAX && envelope.summary !== '' ? envelope.summary : undefined;
  const artifacts = publication.plain
    ? plainArtifacts(envelope, seen)
    : publishedArtifacts(publication.results, envelope);
  return { artifacts, text };
}

/** Text and data that the task itself holds, by artifact ID, in bytes. */
export function shownBytesOf(artifacts: readonly Artifact[]): Readonly<Record<string, number>> {
  const encoder = new TextEncoder();
  const bytesOf = ({ text, data }: Part): number =>
    encoder.encode(text ?? (data === undefined ? '' : JSON.stringify(data))).byteLength;
  return Object.fromEntries(
    artifacts.map(({ artifactId, parts }) => [artifactId, parts.reduce((sum, part) => sum + bytesOf(part), 0)]),
  );
}

function plainArtifacts(
  envelope: Envelope,
  { shown, isAnswered }: { shown: ReadonlySet<string>; isAnswered: boolean },
): readonly Artifact[] {
  const files = envelope.artifacts
    .filter(({ artifactId }) => artifactId !== 'result')
    .filter(({ artifactId }) => !shown.has(artifactId) || (artifactId === 'answer' && !isAnswered))
    .map(fileArtifact);
  const isSaid = isAnswered || files.some(({ artifactId }) => artifactId === 'answer');
  const answer: readonly Artifact[] =
    isSaid || envelope.summary === ''
      ? []
      : [{ artifactId: 'answer', name: 'answer', parts: [{ text: envelope.summary, mediaType: 'text/plain' }] }];
  return [...files, ...answer, ...resultArtifacts(envelope)];
}

function publishedArtifacts(results: Publication['results'], envelope: Envelope): readonly Artifact[] {
  const files = envelope.artifacts
    .filter(({ artifactId, name }) => artifactId !== 'result' && results.artifacts.includes(name))
    .map(fileArtifact);
  return results.includePayload ? [...files, ...resultArtifacts(envelope)] : files;
}

/** The payload itself, or the file that a large one was stored as; none where the stage left none. */
function resultArtifacts({ summary, payload, artifacts }: Envelope): readonly Artifact[] {
  const file = artifacts.find(({ artifactId }) => artifactId === 'result');
  if (file !== undefined) return [fileArtifact(file)];
  if (payload === undefined) return [];
  return [
    {
      artifactId: 'result',
      name: 'result',
      ...(summary !== '' && summary.length <= STATUS_TEXT_MAX && { description: summary }),
      parts: [{ data: payload, mediaType: 'application/json' }],
    },
  ];
}

function fileArtifact({ artifactId, name, mediaType, bytes, sha256 }: ArtifactRef): Artifact {
  return {
    artifactId,
    name,
    parts: [{ url: artifactUri(artifactId, sha256), filename: name, mediaType, metadata: { bytes, sha256 } }],
  };
}
