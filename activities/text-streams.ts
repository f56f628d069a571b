import { PassThrough } from 'node:stream';
import type { ArtifactRef } from '../src/domain/envelope.ts';
import type { StreamOptions } from '../src/domain/executor.ts';
import type { ProgressItem } from '../src/domain/task-log.ts';
import { mediaTypeOf } from './media-type.ts';
import { ANSWER } from './stage-keys.ts';
import type { TextRoom } from './text-room.ts';

/** The answer as a file, when it is too long to be a text of the task. */
export const ANSWER_FILE: FileOfText = { artifactId: ANSWER, name: 'answer.md', mediaType: 'text/markdown' };

export interface TextStreamsOptions {
  readonly idOf: (name: string) => string;
  /** What does not find room in the task becomes a file. */
  readonly room: TextRoom;
  /** Shows an item; waits while too much of it is unsent. */
  readonly show: (item: ProgressItem) => Promise<void>;
  readonly store: (file: FileOfText, content: PassThrough | Uint8Array) => Promise<ArtifactRef>;
  /** Names the file in the place of the text. */
  readonly showStored: (ref: ArtifactRef) => Promise<void>;
  readonly onStored: (ref: ArtifactRef) => void;
  readonly onText: (name: string) => void;
}

export interface FileOfText {
  readonly artifactId: string;
  readonly name: string;
  readonly mediaType: string;
}

interface TextStream {
  readonly name: string;
  /** Its text, as long as it is a text of the task. */
  chunks: string[];
  bytes: number;
  /** The file that it became. */
  file?: { readonly content: PassThrough; readonly stored: Promise<ArtifactRef> };
  /** What comes from now on goes to the file. */
  isFile: boolean;
  /** `lastChunk` was said. */
  isEnded: boolean;
  /** Writes to the file, one after the other. */
  tail: Promise<void>;
}

/** Artifacts whose text grows while the stage runs. */
export class TextStreams {
  readonly #options: TextStreamsOptions;
  readonly #streams = new Map<string, TextStream>();

  constructor(options: TextStreamsOptions) {
    this.#options = options;
  }

  /** The order of calls is the order of the text, awaited or not. */
  append(text: string, { artifact = ANSWER, append = true, lastChunk = false }: StreamOptions): Promise<void> {
    if (!append) this.#drop(artifact);
    const before = this.#streams.get(artifact);
    const stream = before ?? this.#open(artifact);
    const bytes = Buffer.byteLength(text);
    stream.isEnded = lastChunk;
    stream.bytes += bytes;
    if (!stream.isFile && this.#options.room.hold(this.#options.idOf(artifact), stream.bytes)) {
      stream.chunks.push(text);
      return this.#options.show(this.#itemOf(stream, text, before !== undefined, lastChunk));
    }
    stream.isFile = true;
    stream.tail = stream.tail.then(() => this.#writeToFile(stream, text));
    return stream.tail;
  }

  /** Closes what is open and stores what later stages may want to name. */
  async finish(): Promise<void> {
    for (const stream of this.#streams.values()) {
      if (stream.file !== undefined) await this.#finishFile(stream, stream.file);
      else await this.#finishText(stream);
    }
  }

  /** Drops files that were begun. */
  abandon(): void {
    for (const stream of this.#streams.values()) abandonFile(stream);
  }

  #open(name: string): TextStream {
    const stream: TextStream = { name, chunks: [], bytes: 0, isFile: false, isEnded: false, tail: Promise.resolve() };
    this.#streams.set(name, stream);
    this.#options.onText(name);
    return stream;
  }

  #drop(name: string): void {
    const stream = this.#streams.get(name);
    if (stream !== undefined) abandonFile(stream);
    this.#streams.delete(name);
  }

  #itemOf({ name }: TextStream, text: string, append: boolean, lastChunk: boolean): ProgressItem {
    const mediaType = mediaTypeOf(name, 'text/plain');
    return {
      artifact: { artifactId: this.#options.idOf(name), name, parts: [{ text, mediaType }] },
      append,
      lastChunk,
    };
  }

  async #writeToFile(stream: TextStream, text: string): Promise<void> {
    if (stream.file === undefined) {
      const content = new PassThrough();
      content.on('error', () => undefined); // whoever writes or finishes is told
      const stored = this.#options.store(this.#fileOf(stream), content);
      stored.catch((error: unknown) => content.destroy(error as Error));
      stream.file = { content, stored };
      const before = stream.chunks.join('');
      stream.chunks = [];
      await write(content, before);
    }
    await write(stream.file.content, text);
  }

  async #finishFile(stream: TextStream, { content, stored }: NonNullable<TextStream['file']>): Promise<void> {
    await stream.tail;
    content.end();
    const ref = await stored;
    this.#options.onStored(ref);
    await this.#options.showStored(ref);
  }

  async #finishText(stream: TextStream): Promise<void> {
    if (!stream.isEnded) await this.#options.show(this.#itemOf(stream, '', true, true));
    // The answer is the stage's summary, too, and stands in the task; a named one is a file for later stages.
    if (stream.name === ANSWER) return;
    const text = Buffer.from(stream.chunks.join(''));
    this.#options.onStored(await this.#options.store(this.#fileOf(stream), text));
  }

  #fileOf({ name }: TextStream): FileOfText {
    if (name === ANSWER) return ANSWER_FILE;
    return { artifactId: this.#options.idOf(name), name, mediaType: mediaTypeOf(name, 'text/plain') };
  }
}

function abandonFile({ file }: TextStream): void {
  file?.content.destroy(new Error('The stream was dropped'));
  file?.stored.catch(() => undefined);
}

/** Resolves when the store has taken enough of it. */
function write(content: PassThrough, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    content.write(text, (error) => (error == null ? resolve() : reject(content.errored ?? error)));
  });
}
