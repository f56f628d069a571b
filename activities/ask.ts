import type { Question } from '../src/domain/executor.ts';
import type { Json } from '../src/domain/json.ts';
import type { Ask, GateKind } from '../src/domain/question.ts';
import { cutText } from './split-text.ts';
import { limitExceeded, StageFailedError } from './stage-failed-error.ts';

/** Not an error: it ends the executor's run until there is an answer. */
export class AskSignal extends Error {
  override readonly name = 'AskSignal';
  readonly ask: Ask;

  constructor(ask: Ask) {
    super(`The stage asks "${ask.id}" and runs again once it is answered; let this pass through catch blocks`);
    this.ask = ask;
  }
}

const KINDS: Readonly<Record<GateKind, true>> = { free_text: true, confirm: true };

/** It stands in the task's status, in every list, and before a human. */
const MESSAGE_CHARACTERS_MAX = 100_000;

export interface AskOptions {
  readonly gates: readonly GateKind[];
  readonly answers: Readonly<Record<string, Json>>;
  /** The run is over, whatever the executor makes of what `ask` throws. */
  readonly onEnd: (end: AskSignal | StageFailedError) => void;
}

export function createAsk({ gates, answers, onEnd }: AskOptions) {
  return async function ask(question: Question): Promise<Json> {
    const asked = checkQuestion(question);
    if (!gates.includes(asked.kind)) {
      const end = new StageFailedError(
        'gate-not-declared',
        `The stage asks a question of kind ${asked.kind} ("${asked.id}"): add it to the stage's gates`,
      );
      onEnd(end);
      throw end;
    }
    const answer = Object.hasOwn(answers, asked.id) ? answers[asked.id] : undefined;
    if (answer !== undefined) return answer;
    const end = new AskSignal(asked);
    onEnd(end);
    throw end;
  };
}

function checkQuestion(question: unknown): Ask {
  if (typeof question !== 'object' || question === null) throw new TypeError('ask takes one object');
  const { id, kind, message } = question as Record<string, unknown>;
  if (typeof id !== 'string' || id === '') throw new TypeError('A question needs an id, the same on every run');
  if (typeof message !== 'string' || message === '') throw new TypeError(`Question "${id}" needs a message`);
  if (message.length > MESSAGE_CHARACTERS_MAX) {
    throw limitExceeded(`The message of question "${cutText(id, 100)}"`, MESSAGE_CHARACTERS_MAX, 'characters');
  }
  if (typeof kind !== 'string' || !Object.hasOwn(KINDS, kind)) {
    throw new TypeError(`Question "${id}" needs a kind, one of ${Object.keys(KINDS).join(', ')}`);
  }
  return { id, kind: kind as GateKind, message };
}
