import type { SseEvent } from './gateway.ts';

/** The text of an artifact as a reader of these events holds it: a snapshot's, and all that was appended since. */
export function streamedText(events: readonly SseEvent[], artifactId = 'answer', before = ''): string {
  let text = before;
  for (const { data } of events) {
    const { task, artifactUpdate } = (data.result ?? {}) as {
      task?: { artifacts?: readonly StreamedArtifact[] };
      artifactUpdate?: { artifact: StreamedArtifact; append: boolean };
    };
    if (task !== undefined) text = textOf(task.artifacts?.find((each) => each.artifactId === artifactId));
    if (artifactUpdate?.artifact.artifactId === artifactId) {
      text = (artifactUpdate.append ? text : '') + textOf(artifactUpdate.artifact);
    }
  }
  return text;
}

interface StreamedArtifact {
  readonly artifactId: string;
  readonly parts: readonly { readonly text?: string }[];
}

function textOf(artifact: StreamedArtifact | undefined): string {
  return (artifact?.parts ?? []).map(({ text }) => text ?? '').join('');
}
