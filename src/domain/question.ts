import type { Json } from './json.ts';

/** What an executor, or a stage's `gate`, asks; `seed-behaviours` names: two more kinds join with contracts. */
export type GateKind = 'free_text' | 'confirm';

/** A question as its stage raises it. `id` is the stage's own name for it and stays the same over retries. */
export interface Ask {
  readonly id: string;
  readonly kind: GateKind;
  readonly message: string;
}

export type Answer =
  | { readonly kind: 'free_text'; readonly text: string }
  | { readonly kind: 'confirm'; readonly decision: 'accept' | 'reject'; readonly text?: string };

/** A question that waits. It dies when it is answered. */
export interface Question {
  /** `<base64url of the task ID>.<random>`: opaque to clients, routable without a table. */
  readonly requestId: string;
  readonly stageId: string;
  /** Set for an element of a `for_each` stage. */
  readonly element?: number;
  readonly askId: string;
  readonly kind: GateKind;
  readonly message: string;
  /** The caller of the task may answer; an operator may answer any question. */
  readonly callerAnswerable: boolean;
  /** The task shows INPUT_REQUIRED while it waits; otherwise WORKING. */
  readonly shown: boolean;
  /** ISO 8601, UTC. */
  readonly askedAt: string;
}

/** What `ask` returns to an executor. */
export function answerValue(answer: Answer): Json {
  if (answer.kind === 'free_text') return answer.text;
  return answer.text === undefined ? { decision: answer.decision } : { decision: answer.decision, text: answer.text };
}
