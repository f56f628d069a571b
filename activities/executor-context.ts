/** Everything that an executor is given, wired together for one run of it. */
import { resolve } from 'node:path';
import { pipeline, type Readable, Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import type { ArtifactRef, KeptEnvelope } from '../src/domain/envelope.ts';
import type { ExecutorContext, Progress, StreamOptions } from '../src/domain/executor.ts';
import type { StageRun, TaskFacts } from '../src/domain/stage-run.ts';
import type { ProgressItem } from '../src/domain/task-log.ts';
import type { ArtifactStore } from '../src/storage/artifact-store.ts';
import { createAsk } from './ask.ts';
import type { AskSignal } from './ask.ts';
import { createRunStep } from './run-step.ts';
import { stepBasisOf } from './step-basis.ts';
import { cutText } from './split-text.ts';
import { partOf, StageArtifacts } from './stage-artifacts.ts';
import { limitExceeded, unlessStorageFails } from './stage-failed-error.ts';
import type { StageFailedError } from './stage-failed-error.ts';
import type { StageInput } from './stage-input.ts';
import { artifactIdOf, idempotencyKeyOf } from './stage-keys.ts';
import type { StagePlace } from './stage-keys.ts';
import type { StageMemory } from './stage-memory.ts';
import { TextRoom } from './text-room.ts';
import { TextStreams } from './text-streams.ts';
import type { FileOfText } from './text-streams.ts';
import { checkArtifactName, createWriteArtifact } from './write-artifact.ts';

const LINE_CHARACTERS_MAX = 4_000;
const YIELD_MS = 20;
const FILE_BYTES_MAX = 1024 * 1024 * 1024;

export interface ExecutorRunOptions {
  readonly run: StageRun;
  readonly facts: TaskFacts;
  readonly given: StageInput;
  /** As the workflow holds it. */
  readonly upstream: Readonly<Record<string, KeptEnvelope>>;
  readonly place: StagePlace;
  readonly attempt: number;
  readonly configDirectory: string;
  readonly artifactStore: ArtifactStore;
  readonly memory: StageMemory;
  /** Hands an item to whoever watches; waits while too much is unsent. */
  readonly show: (item: ProgressItem) => Promise<void>;
  /** Aborts when the run is over, for whatever reason. */
  readonly signal: AbortSignal;
}

/** One run of an executor: what it gets, and what it did with it. */
export class ExecutorRun {
  readonly context: ExecutorContext;
  readonly artifacts = new StageArtifacts();
  readonly streams: TextStreams;
  /** For text and data that stand in the task itself. */
  readonly room: TextRoom;
  /** Resolves when the executor has asked: what it does after that counts no more. */
  readonly asked: Promise<undefined>;
  /** Set once the run has ended by a question, or by one that it may not ask. */
  end: AskSignal | StageFailedError | undefined;
  readonly #options: ExecutorRunOptions;
  /** What the executor may have forgotten to await. */
  readonly #pending = new Set<Promise<unknown>>();
  readonly #streamed = new Set<string>();
  #yieldedAt = performance.now();

  constructor(options: ExecutorRunOptions) {
    this.#options = options;
    const { run, facts, given, place, attempt, signal, memory } = options;
    const room = (this.room = new TextRoom(run.shownBytes));
    const artifactChange = run.isShown ? options.show : async () => undefined;
    const idOf = (name: string) => artifactIdOf(place, name);
    const store = (file: FileOfText, content: Uint8Array | Readable) => this.store(file, content);

    this.streams = new TextStreams({
      idOf,
      room,
      show: artifactChange,
      store,
      showStored: (ref) => artifactChange(fileItem(ref)),
      onStored: (ref) => this.artifacts.record(ref.name, ref),
      onText: (name) => {
        this.artifacts.record(name, undefined);
        this.#streamed.add(name);
      },
    });
    const writeArtifact = createWriteArtifact({
      idOf,
      room,
      directory: resolve(options.configDirectory, facts.root),
      store,
      show: artifactChange,
      artifacts: this.artifacts,
    });
    const runStep = createRunStep(memory, this.artifacts, stepBasisOf({ run, facts, upstream: options.upstream }));
    const asked = Promise.withResolvers<undefined>();
    this.asked = asked.promise;
    const ask = createAsk({
      gates: run.stage.gates,
      answers: run.answers,
      onEnd: (end) => {
        this.end ??= end;
        asked.resolve(undefined);
      },
    });

    this.context = {
      goal: facts.goal,
      ...given,
      index: run.element,
      answers: run.answers,
      followUps: run.followUps,
      attempt,
      idempotencyKey: idempotencyKeyOf(place),
      caller: facts.caller,
      signal,
      ask: ((question) => this.#guard(() => ask(question))) as ExecutorContext['ask'],
      step: ((name, work) => this.#guard(() => runStep(name, work))) as ExecutorContext['step'],
      progress: (progress) => this.#guard(() => options.show(lineItem(progress)), 'awaited'),
      stream: (text, how) => this.#guard(() => this.#stream(text, how), 'awaited'),
      writeArtifact: (artifact) => this.#guard(() => writeArtifact(artifact), 'awaited'),
      readArtifact: (artifact) => this.#guard(() => this.#read(artifact)),
    };
  }

  /** Whether the executor appended to the artifact of this name. */
  hasStreamed(name: string): boolean {
    return this.#streamed.has(name);
  }

  /** Waits for calls that the executor made and did not await. */
  async settle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  /** Puts a file into the artifact store. */
  async store({ artifactId, name, mediaType }: FileOfText, content: Uint8Array | Readable): Promise<ArtifactRef> {
    const { artifactStore, place } = this.#options;
    const stored = await unlessStorageFails(
      `Storing the artifact ${name}`,
      artifactStore.put(place.taskId, artifactId, within(FILE_BYTES_MAX, name, content)),
    );
    return { artifactId, name, mediaType, ...stored };
  }

  async #read({ artifactId, sha256, name }: ArtifactRef): Promise<Uint8Array> {
    const { artifactStore, place } = this.#options;
    const opened = await unlessStorageFails(
      `Reading the artifact ${name}`,
      artifactStore.open(place.taskId, artifactId, sha256),
    );
    if (opened === undefined) throw new RangeError(`readArtifact: this task has no artifact ${name}`);
    return buffer(opened.stream);
  }

  #stream(text: unknown, how: StreamOptions = {}): Promise<void> {
    if (typeof text !== 'string') throw new TypeError('stream(text): the text must be a text');
    if (how.artifact !== undefined) checkArtifactName(how.artifact);
    return this.streams.append(text, how);
  }

  /** A million calls that have nothing to wait for must not keep heartbeats, signals and other stages from their turn. */
  async #yieldToOthers(): Promise<void> {
    if (performance.now() - this.#yieldedAt < YIELD_MS) return;
    await setImmediate();
    this.#yieldedAt = performance.now();
  }

  /**
   * Refuses what comes after the end, and keeps a promise that nobody awaits from ending the worker's process.
   */
  #guard<Result>(work: () => Promise<Result>, mode?: 'awaited'): Promise<Result> {
    const { signal } = this.#options;
    const call = (async () => {
      signal.throwIfAborted();
      const result = await work();
      if (mode === 'awaited') await this.#yieldToOthers();
      return result;
    })();
    call.catch(() => undefined);
    if (mode === 'awaited') {
      this.#pending.add(call);
      const forget = () => this.#pending.delete(call);
      call.then(forget, forget);
    }
    return call;
  }
}

/** @throws {StageFailedError} `limit-exceeded`, when it is read */
function within(bytesMax: number, name: string, content: Uint8Array | Readable): Uint8Array | Readable {
  const refuse = () => limitExceeded(`The artifact ${name}`, bytesMax);
  if (content instanceof Uint8Array) {
    if (content.byteLength > bytesMax) throw refuse();
    return content;
  }
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) done(refuse());
      else done(null, chunk);
    },
  });
  pipeline(content, count, () => undefined); // whoever reads is told
  return count;
}

/** The file in the place of whatever text was shown before. */
function fileItem(ref: ArtifactRef): ProgressItem {
  const { artifactId, name } = ref;
  return { artifact: { artifactId, name, parts: [partOf(ref)] }, append: false, lastChunk: true };
}

function lineItem(progress: unknown): ProgressItem {
  if (typeof progress !== 'object' || progress === null) throw new TypeError('progress takes one object');
  const { text, percent, step } = progress as Record<keyof Progress, unknown>;
  if (text !== undefined && typeof text !== 'string') throw new TypeError('progress: text must be a text');
  if (step !== undefined && typeof step !== 'string') throw new TypeError('progress: step must be a text');
  if (percent !== undefined && (typeof percent !== 'number' || !Number.isFinite(percent))) {
    throw new TypeError('progress: percent must be a number from 0 to 100');
  }
  return {
    ...(text !== undefined && { text: cutText(text, LINE_CHARACTERS_MAX) }),
    ...(percent !== undefined && { percent: Math.min(100, Math.max(0, percent)) }),
    ...(step !== undefined && { step: cutText(step, LINE_CHARACTERS_MAX) }),
    at: new Date().toISOString(),
  };
}
