import type { Artifact, Part, StreamResponse, Task } from '../domain/a2a.ts';

/** One event of a stream. Without any, the stream is open, and nothing has happened yet. */
export interface StreamFrame {
  readonly event?: StreamResponse;
  /** Set where a client may take up the stream again, with this as `Last-Event-ID`. */
  readonly cursor?: string;
}

/** The clients of the SDK give up at 4 MiB an event; the envelope and escapes need some of it. */
const FRAME_BYTES_MAX = 3_500_000;
const CHUNK_CHARACTERS = 256 * 1024;

/**
 * A snapshot as frames that every client can take. One that is too big shows the task without its artifacts and, if need
 * be, with less history; the artifacts follow as updates, text in appended pieces. Only the last frame has the cursor, since
 * a client that has seen less has a part of the snapshot.
 */
export function snapshotFrames(task: Task, cursor: string): readonly StreamFrame[] {
  if (bytesOf(task) <= FRAME_BYTES_MAX) return [{ event: { task }, cursor }];
  const { artifacts = [], ...rest } = task;
  const events: readonly StreamResponse[] = [
    { task: trimHistory(rest) },
    ...artifacts.flatMap((artifact) => artifactEvents(rest, artifact)),
  ];
  return events.map((event, index) => (index === events.length - 1 ? { event, cursor } : { event }));
}

/** Drops the oldest messages until the task fits. */
function trimHistory(task: Task): Task {
  const { history = [], ...rest } = task;
  let bytesLeft = FRAME_BYTES_MAX - bytesOf(rest);
  const kept = history.filter((_, index) => {
    const bytes = bytesOf(history.slice(index));
    return bytes <= bytesLeft;
  });
  bytesLeft -= bytesOf(kept);
  return kept.length === 0 ? rest : { ...rest, history: kept };
}

function artifactEvents(task: Pick<Task, 'id' | 'contextId'>, artifact: Artifact): readonly StreamResponse[] {
  const pieces = artifact.parts.flatMap(splitPart);
  return pieces.map((part, index) => ({
    artifactUpdate: {
      taskId: task.id,
      contextId: task.contextId,
      artifact: { ...artifact, parts: [part] },
      append: index > 0,
      lastChunk: index === pieces.length - 1,
    },
  }));
}

function splitPart(part: Part): readonly Part[] {
  const { text } = part;
  if (text === undefined || text.length <= CHUNK_CHARACTERS) return [part];
  const pieces: Part[] = [];
  for (let from = 0; from < text.length;) {
    let to = Math.min(from + CHUNK_CHARACTERS, text.length);
    // A surrogate pair stays together.
    if (to < text.length && (text.charCodeAt(to) & 0xfc00) === 0xdc00) to -= 1;
    pieces.push({ ...part, text: text.slice(from, to) });
    from = to;
  }
  return pieces;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
