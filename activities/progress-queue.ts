import { continuesText } from '../src/domain/a2a.ts';
import type { ProgressItem } from '../src/domain/task-log.ts';
import { splitText } from './split-text.ts';

/** Longest text of one append (design: appends on a stream are at most 256 KiB). */
const APPEND_BYTES_MAX = 256 * 1024;
/** A signal carries no more than this, save one item that is larger by itself. */
const SIGNAL_BYTES_MAX = 1024 * 1024;
/** Of progress lines that wait, the newest say enough. */
const LINES_MAX = 20;
/** What an item costs beside its text. */
const ITEM_BYTES = 200;

type ArtifactItem = Extract<ProgressItem, { artifact: unknown }>;

interface Queued {
  item: ProgressItem;
  bytes: number;
}

/** What waits to be shown: text of one artifact is joined, lines of progress give way to newer ones, no artifact text is lost. */
export class ProgressQueue {
  #queued: Queued[] = [];
  /** The newest entry of each artifact, while it waits. */
  readonly #newest = new Map<string, Queued>();
  #lines = 0;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#queued.length === 0;
  }

  add(item: ProgressItem): void {
    if ('artifact' in item) this.#addArtifact(item);
    else this.#addLine(item);
  }

  /** Takes the next signal's items; none when nothing waits. */
  take(): ProgressItem[] {
    let bytes = 0;
    let count = 0;
    for (const each of this.#queued) {
      if (count > 0 && bytes + each.bytes > SIGNAL_BYTES_MAX) break;
      bytes += each.bytes;
      count += 1;
    }
    const taken = this.#queued.slice(0, count);
    this.#queued = this.#queued.slice(count);
    this.#bytes -= bytes;
    for (const each of taken) this.#forget(each);
    return taken.map(({ item }) => item);
  }

  #addLine(item: ProgressItem): void {
    if (this.#lines >= LINES_MAX) {
      const oldest = this.#queued.findIndex((each) => !('artifact' in each.item));
      this.#drop((_, index) => index === oldest);
    }
    this.#lines += 1;
    this.#push({ item, bytes: Buffer.byteLength(JSON.stringify(item)) + ITEM_BYTES });
  }

  #addArtifact(item: ArtifactItem): void {
    const { artifactId } = item.artifact;
    // What starts an artifact anew makes everything unsent of it void.
    if (!item.append) this.#drop((each) => 'artifact' in each.item && each.item.artifact.artifactId === artifactId);
    const text = textOfItem(item);
    if (text === undefined) {
      this.#push({ item, bytes: Buffer.byteLength(JSON.stringify(item)) + ITEM_BYTES });
      return;
    }
    const pieces = splitText(text, APPEND_BYTES_MAX);
    for (const [index, piece] of pieces.entries()) {
      this.#addText({
        artifact: { ...item.artifact, parts: [{ ...item.artifact.parts[0], text: piece }] },
        append: item.append || index > 0,
        lastChunk: item.lastChunk && index === pieces.length - 1,
      });
    }
  }

  #addText(item: ArtifactItem): void {
    const text = textOfItem(item) ?? '';
    const bytes = Buffer.byteLength(text);
    const last = item.append ? this.#newest.get(item.artifact.artifactId) : undefined;
    const joined = last && joinText(last, item, text, bytes);
    if (last !== undefined && joined !== undefined) {
      last.item = joined;
      last.bytes += bytes;
      this.#bytes += bytes;
    } else {
      this.#push({ item, bytes: bytes + ITEM_BYTES });
    }
  }

  #push(queued: Queued): void {
    this.#queued.push(queued);
    this.#bytes += queued.bytes;
    if ('artifact' in queued.item) this.#newest.set(queued.item.artifact.artifactId, queued);
  }

  #drop(isDropped: (each: Queued, index: number) => boolean): void {
    const dropped = this.#queued.filter(isDropped);
    if (dropped.length === 0) return;
    this.#queued = this.#queued.filter((each, index) => !isDropped(each, index));
    for (const each of dropped) {
      this.#bytes -= each.bytes;
      this.#forget(each);
    }
  }

  #forget(queued: Queued): void {
    if (!('artifact' in queued.item)) {
      this.#lines -= 1;
    } else if (this.#newest.get(queued.item.artifact.artifactId) === queued) {
      this.#newest.delete(queued.item.artifact.artifactId);
    }
  }
}

/** The text of an item that is one text part, and so can be joined and split. */
function textOfItem(item: ArtifactItem): string | undefined {
  return item.artifact.parts.length === 1 ? item.artifact.parts[0]?.text : undefined;
}

function joinText(last: Queued, item: ArtifactItem, text: string, bytes: number): ArtifactItem | undefined {
  if (!('artifact' in last.item) || last.bytes - ITEM_BYTES + bytes > APPEND_BYTES_MAX) return undefined;
  const [part] = last.item.artifact.parts;
  const [next] = item.artifact.parts;
  if (textOfItem(last.item) === undefined || next === undefined || !continuesText(part, next)) return undefined;
  return {
    artifact: { ...last.item.artifact, ...item.artifact, parts: [{ ...part, text: part.text + text }] },
    append: last.item.append,
    lastChunk: item.lastChunk,
  };
}
