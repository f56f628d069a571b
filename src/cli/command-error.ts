import type { ExitCode } from './exit-codes.ts';

/** A failure that a user can read and act on: one sentence that says what happened, one that says what to do next. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;
  /** For programs: `not-found`, `usage` … */
  readonly code: string;
  readonly next: string | undefined;

  constructor(
    exitCode: ExitCode,
    code: string,
    message: string,
    { next, cause }: { next?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.exitCode = exitCode;
    this.code = code;
    this.next = next;
  }
}
