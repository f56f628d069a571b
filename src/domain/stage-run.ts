/** What the workflow hands to the activity that runs one stage (or one element of it), and what it gets back. */
import type { Message, Part } from './a2a.ts';
import type { Element } from './elements.ts';
import type { KeptEnvelope } from './envelope.ts';
import type { Json } from './json.ts';
import type { KeptItem } from './kept.ts';
import type { Stage } from './pipeline.ts';
import type { Ask } from './question.ts';
import type { InputForm } from './task-input.ts';

/**
 * Three arguments, so that what is large and the same for all runs of a task (`facts`, `upstream`) is one payload each,
 * stored once by its content.
 */
export type RunStage = (
  run: StageRun,
  facts: TaskFacts,
  upstream: Readonly<Record<string, KeptEnvelope>>,
) => Promise<StageOutcome>;

/** Lays out the elements of a list that is kept in the store. */
export type LayOutElements = (source: KeptEnvelope, pointer: string) => Promise<LaidOut>;

/** `problem` is for operators and callers: what `for_each` points to is no list, or too long. */
export type LaidOut = { readonly elements: readonly Element[] } | { readonly problem: string };

/** Makes the envelope of a `for_each` stage of those of its elements. */
export type JoinElements = (join: ElementsToJoin) => Promise<KeptEnvelope>;

export interface ElementsToJoin {
  readonly taskId: string;
  readonly envelopes: readonly KeptEnvelope[];
  readonly isResult: boolean;
}

export interface StageRun {
  readonly stage: Stage;
  /** Under `for_each`: the element's place, and its value or where that is kept. */
  readonly element?: number;
  readonly item?: Json;
  readonly itemAt?: KeptItem;
  /** How often the stage was entered before: each answer and each batch of follow-ups adds one. */
  readonly turn: number;
  /** Answers so far, by the stage's own question IDs. */
  readonly answers: Readonly<Record<string, Json>>;
  readonly followUps: readonly Message[];
  /** Stage runs of this task that run at this moment: progress is thinned by it. */
  readonly sideBySide: number;
  /** Artifacts and streamed text of this stage are the caller's to see. */
  readonly isShown: boolean;
  /** The stage's envelope is the task's result, and no other stage is given it. */
  readonly isResult: boolean;
  /** Bytes of text and data, by artifact ID, that the task already shows from earlier turns. */
  readonly shownBytes: Readonly<Record<string, number>>;
}

/** What is the same for every stage of a task. */
export interface TaskFacts {
  readonly taskId: string;
  readonly contextId: string;
  readonly caller: string;
  readonly publicationId: string;
  /** Folder that modules and commands are relative to. */
  readonly root: string;
  readonly goal?: string;
  readonly message: Message;
  /** How `input` is made of the message. */
  readonly inputForm: InputForm;
}

export type StageOutcome =
  /** `isAnswered`: this very try has shown the artifact `answer` itself. */
  | { readonly outcome: 'envelope'; readonly envelope: KeptEnvelope; readonly isAnswered?: boolean }
  | { readonly outcome: 'ask'; readonly ask: Ask }
  | { readonly outcome: 'rejected' | 'auth-required'; readonly message: string }
  | { readonly outcome: 'reply'; readonly parts: readonly Part[] };

/**
 * `type` of the ApplicationFailure with which the activity fails, once and for good or to be tried again. Its first detail
 * is a `StageFailureDetail`.
 */
export const STAGE_FAILURE = 'StageFailure';

export interface StageFailureDetail {
  /** Why, for programs: `executor-failed`, `output-invalid`, `artifact-missing`, `gate-not-declared`, `executor-not-found` … */
  readonly reason: string;
  /** Set only when the caller may read it; the failure's own message is for operators. */
  readonly publicMessage?: string;
}

/** URI of a stored artifact inside a task; the gateway puts its public URL in the place. */
export function artifactUri(artifactId: string, sha256: string): string {
  return `artifact:${artifactId}/${sha256}`;
}

export function parseArtifactUri(uri: string): { artifactId: string; sha256: string } | undefined {
  const match = /^artifact:([^/]+)\/([0-9a-f]{64})$/.exec(uri);
  return match?.[1] === undefined || match[2] === undefined ? undefined : { artifactId: match[1], sha256: match[2] };
}
