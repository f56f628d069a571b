/** The public API that users write executors against. */
import type { Message, Part } from './a2a.ts';
import type { ArtifactRef, Envelope } from './envelope.ts';
import type { Json } from './json.ts';

/** Question that an executor asks. `id` must be the same each time the executor runs. */
export type Question =
  | { readonly id: string; readonly kind: 'free_text'; readonly message: string }
  | { readonly id: string; readonly kind: 'confirm'; readonly message: string };

export interface Decision {
  readonly decision: 'accept' | 'reject';
  readonly text?: string;
}

export interface Progress {
  readonly text?: string;
  /** 0 to 100. */
  readonly percent?: number;
  readonly step?: string;
}

export interface ArtifactContent {
  readonly name: string;
  readonly mediaType?: string;
  readonly description?: string;
  /** Exactly one of the following. `path` is a file that the executor wrote; it is copied. */
  readonly content?: string | Uint8Array;
  readonly path?: string;
  readonly data?: Json;
  readonly url?: string;
}

export interface StreamOptions {
  /** Name of the artifact; `answer` unless said. */
  readonly artifact?: string;
  /** `false` starts the artifact anew. */
  readonly append?: boolean;
  readonly lastChunk?: boolean;
}

export interface AskHuman {
  (question: Extract<Question, { kind: 'free_text' }>): Promise<string>;
  (question: Extract<Question, { kind: 'confirm' }>): Promise<Decision>;
}

export interface ExecutorContext {
  readonly goal: string | undefined;
  /** A plain text message arrives as `{text, parts}`. */
  readonly input: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- its shape is the publication's own
  readonly message: Message;
  /** Envelopes of the stages that this one needs, near and far, by stage ID. */
  readonly upstream: Readonly<Record<string, Envelope>>;
  /** Under `for_each`: this run's element, and its place. */
  readonly item: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- an element of another stage's payload
  readonly index: number | undefined;
  /** Answers so far, by question ID. */
  readonly answers: Readonly<Record<string, Json>>;
  readonly followUps: readonly Message[];
  /** 1 on the first try; a retry has the next number. */
  readonly attempt: number;
  /** The same over all tries of this stage (and element): hand it to what you call. */
  readonly idempotencyKey: string;
  readonly caller: string;
  /** Aborts on cancel, timeout and shutdown of the worker. */
  readonly signal: AbortSignal;
  /** Ends this run until a human has answered; then the executor runs again from its start, and gets the answer here. */
  readonly ask: AskHuman;
  /** Runs `work` once: its result, which must be JSON, is kept for this stage, so neither a retry nor a question repeats it. */
  readonly step: <Result>(name: string, work: () => Promise<Result> | Result) => Promise<Result>;
  readonly progress: (progress: Progress) => Promise<void>;
  /** Appends text to an artifact while the stage still runs. */
  readonly stream: (text: string, options?: StreamOptions) => Promise<void>;
  readonly writeArtifact: (artifact: ArtifactContent) => Promise<ArtifactRef | undefined>;
  /** The bytes of a file that this stage or an earlier one of the task left; refs stand in the envelopes of `upstream`. */
  readonly readArtifact: (artifact: ArtifactRef) => Promise<Uint8Array>;
}

export type ExecutorResult =
  | {
      readonly summary: string;
      readonly payload?: Json;
      readonly artifacts?: readonly (ArtifactContent | ArtifactRef)[];
    }
  | { readonly state: 'rejected' | 'auth-required'; readonly message: string }
  /** Answers the caller with a Message instead of a Task. */
  | { readonly reply: string | readonly Part[] };

export type Executor = (context: ExecutorContext) => Promise<ExecutorResult> | ExecutorResult;

/**
 * An error whose message the task's caller may read. Any other error's text stays with the operators. `retryable: false`
 * (on any error) ends the task without another try.
 */
export class StageError extends Error {
  readonly retryable: boolean;
  readonly expose = true;

  constructor(message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'StageError';
    this.retryable = options.retryable ?? true;
  }
}
