/**
 * Pipelines and publications as the workflow gets them: resolved, validated, by value. Keys of the YAML files are
 * snake_case; these are their camelCase twins, made by `src/config`.
 */
import type { JsonObject } from './json.ts';
import type { GateKind } from './question.ts';

/** `module` is relative to `root` (or absolute), and each worker resolves it for itself. */
export interface FunctionExecutorSpec {
  readonly kind: 'function';
  readonly module: string;
  readonly export: string;
}

/** Run without a shell in the publication's root. */
export interface CommandExecutorSpec {
  readonly kind: 'command';
  readonly command: readonly string[];
}

export type ExecutorSpec = FunctionExecutorSpec | CommandExecutorSpec;

export interface StageGate {
  readonly kind: 'confirm' | 'free_text';
  readonly message: string;
}

export interface Stage {
  readonly id: string;
  readonly needs: readonly string[];
  /** Absent on a stage that is only a gate. */
  readonly executor?: ExecutorSpec;
  /** JSON pointer into the envelopes, its first step a stage ID of the ancestors: `/plan/payload/questions`. */
  readonly forEach?: string;
  /** How many elements run at the same time; 16 unless said. */
  readonly sideBySide: number;
  /** Question kinds that the executor may raise. */
  readonly gates: readonly GateKind[];
  /** Asked before the stage runs. */
  readonly gate?: StageGate;
  /** Working time of one element, retries included, time spent waiting for answers not. */
  readonly timeoutMs?: number;
  /** After the first attempt; counts failures of the executor, not of workers. */
  readonly retries: number;
  /** JSON Schema that the envelope's payload must meet. */
  readonly outputSchema?: JsonObject;
  /** Names of the artifacts without which the stage has failed. */
  readonly emits: readonly string[];
  /** Takes messages that arrive while it runs. */
  readonly followUps: boolean;
  readonly callerAnswerable: boolean;
}

export interface Pipeline {
  readonly id: string;
  readonly stages: readonly Stage[];
}

export interface Publication {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Hex SHA-256 over everything that decides how it runs. */
  readonly revision: string;
  /** Folder that executors' modules and commands are relative to. */
  readonly root: string;
  readonly pipeline: Pipeline;
  /** A plain skill: one stage, text in, text out. */
  readonly plain: boolean;
  readonly goal?: string;
  /** JSON Schema of the input, where one is declared. */
  readonly inputSchema?: JsonObject;
  /** Property of the input that a plain text message fills. */
  readonly textInput?: string;
  readonly results: {
    /** The terminal stage whose envelope is the result. */
    readonly stage: string;
    readonly includePayload: boolean;
    readonly artifacts: readonly string[];
  };
  /** A plain skill whose questions go to an operator still shows INPUT_REQUIRED. */
  readonly questionsTo: 'caller' | 'operator';
  readonly dedupe: 'message' | 'content' | 'none';
  readonly allowedCallers: readonly string[];
  /** Media types of the parts that it takes and gives, where it says so; `image/*` is all of a kind. */
  readonly inputModes?: readonly string[];
  readonly outputModes?: readonly string[];
  readonly tags: readonly string[];
  readonly examples: readonly string[];
}
