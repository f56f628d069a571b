import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { Part } from '../src/domain/a2a.ts';
import type { ArtifactRef } from '../src/domain/envelope.ts';
import type { ArtifactContent } from '../src/domain/executor.ts';
import type { ProgressItem } from '../src/domain/task-log.ts';
import { ENVELOPE_BYTES_MAX, stringifyWithin } from './keep-envelope.ts';
import { mediaTypeOf } from './media-type.ts';
import { partOf } from './stage-artifacts.ts';
import type { StageArtifacts } from './stage-artifacts.ts';
import type { TextRoom } from './text-room.ts';
import type { FileOfText } from './text-streams.ts';
import { toJson } from './to-json.ts';

/** Data up to this size stands in the task itself; beyond, as a file. */
const DATA_BYTES_MAX = 256 * 1024;
const NAME_CHARACTERS_MAX = 255;
const SOURCES = ['content', 'path', 'data', 'url'] as const;

export interface WriteArtifactOptions {
  readonly idOf: (name: string) => string;
  readonly room: TextRoom;
  /** What a relative `path` is relative to. */
  readonly directory: string;
  readonly store: (file: FileOfText, content: Uint8Array | Readable) => Promise<ArtifactRef>;
  readonly show: (item: ProgressItem) => Promise<void>;
  readonly artifacts: StageArtifacts;
}

export function createWriteArtifact({ idOf, room, directory, store, show, artifacts }: WriteArtifactOptions) {
  async function storeAs(artifact: ArtifactContent, content: Uint8Array | Readable, otherwise: string) {
    const { name, mediaType = mediaTypeOf(name, otherwise) } = artifact;
    return store({ artifactId: idOf(name), name, mediaType }, content);
  }

  async function take(artifact: ArtifactContent): Promise<{ part: Part; ref?: ArtifactRef }> {
    const { name, mediaType } = artifact;
    if (artifact.url !== undefined) {
      const type = mediaType ?? mediaTypeOf(name, '');
      return { part: { url: parseUrl(artifact.url), filename: name, ...(type !== '' && { mediaType: type }) } };
    }
    if (artifact.data !== undefined) {
      const data = toJson(artifact.data, `The data of artifact "${name}"`);
      const bytes = Buffer.from(stringifyWithin(data, ENVELOPE_BYTES_MAX, `The data of artifact ${name}`));
      const ref = await storeAs(artifact, bytes, 'application/json');
      const isHeld = bytes.byteLength <= DATA_BYTES_MAX && room.hold(idOf(name), bytes.byteLength);
      return { part: isHeld ? { data, mediaType: ref.mediaType } : partOf(ref), ref };
    }
    const { content } = artifact;
    if (content !== undefined) {
      const isText = typeof content === 'string';
      const bytes = isText ? Buffer.from(content) : content;
      const ref = await storeAs(artifact, bytes, isText ? 'text/plain' : 'application/octet-stream');
      return { part: partOf(ref), ref };
    }
    const ref = await storeFile(resolve(directory, artifact.path ?? ''), (file) =>
      storeAs(artifact, file, 'application/octet-stream'),
    );
    return { part: partOf(ref), ref };
  }

  return async function writeArtifact(given: ArtifactContent): Promise<ArtifactRef | undefined> {
    const artifact = checkArtifact(given);
    const { name, description } = artifact;
    const { part, ref } = await take(artifact);
    artifacts.record(name, ref);
    await show({
      artifact: {
        artifactId: idOf(name),
        name,
        ...(description !== undefined && { description }),
        parts: [part],
      },
      append: false,
      lastChunk: true,
    });
    return ref;
  };
}

/** Executors are also written in JavaScript, and in JSON lines. */
function checkArtifact(artifact: unknown): ArtifactContent {
  if (typeof artifact !== 'object' || artifact === null) throw new TypeError('writeArtifact takes one object');
  const given = artifact as Record<string, unknown>;
  const name = checkArtifactName(given['name']);
  const sources = SOURCES.filter((source) => given[source] !== undefined);
  if (sources.length !== 1) {
    throw new TypeError(
      `Artifact "${name}" needs exactly one of content, path, data and url, and has ${sources.length}`,
    );
  }
  for (const key of ['mediaType', 'description', 'path', 'url']) {
    if (given[key] !== undefined && typeof given[key] !== 'string') {
      throw new TypeError(`Artifact "${name}": ${key} must be a text`);
    }
  }
  const { content } = given;
  if (content !== undefined && typeof content !== 'string' && !ArrayBuffer.isView(content)) {
    throw new TypeError(`Artifact "${name}": content must be a text or bytes (use data for other values)`);
  }
  return given as unknown as ArtifactContent;
}

/** @throws {TypeError} */
export function checkArtifactName(name: unknown): string {
  if (typeof name !== 'string' || name === '' || name.length > NAME_CHARACTERS_MAX) {
    throw new TypeError(`An artifact's name must be a text of 1 to ${NAME_CHARACTERS_MAX} characters`);
  }
  // It becomes the name of a downloaded file.
  if (/[\p{Cc}/\\]/u.test(name) || name === '.' || name === '..') {
    throw new TypeError(`An artifact's name must be a file name without folders, not ${JSON.stringify(name)}`);
  }
  return name;
}

function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new TypeError(
      `An artifact's url must be an http or https address, not ${JSON.stringify(text.slice(0, 200))}`,
    );
  }
  return url.href;
}

/** Opened before it is stored: a file that is not there is the executor's mistake, not the store's. */
async function storeFile(path: string, store: (content: Readable) => Promise<ArtifactRef>): Promise<ArtifactRef> {
  // Not blocking: a named pipe that nobody writes to would hold the executor, and a thread of this process, for ever.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new TypeError(`The artifact's path ${path} is no file`);
    return await store(file.createReadStream({ autoClose: false }));
  } finally {
    await file.close();
  }
}
