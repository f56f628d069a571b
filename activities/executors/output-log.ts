import type { ActivityLog } from '../dependencies.ts';
import { cutText } from '../split-text.ts';

const LINE_CHARACTERS_MAX = 2_000;
const LINES_MAX = 1_000;
const TAIL_LINES = 20;

/** Writes a command's other output to the log, within bounds, and remembers its last lines. */
export class OutputLog {
  readonly #log: ActivityLog;
  readonly #fields: object;
  #count = 0;
  #tail: string[] = [];

  constructor(log: ActivityLog, fields: object) {
    this.#log = log;
    this.#fields = fields;
  }

  write(line: string): void {
    const text = cutText(line, LINE_CHARACTERS_MAX);
    this.#tail = [...this.#tail, text].slice(-TAIL_LINES);
    this.#count += 1;
    if (this.#count <= LINES_MAX) this.#log.info(this.#fields, text);
    if (this.#count === LINES_MAX) this.#log.info(this.#fields, 'The rest of this output is not logged');
  }

  get tail(): string {
    return this.#tail.join('\n');
  }
}
