/** Exit codes of `longhaul`, as docs/cli.md promises them to scripts. */
export const EXIT = {
  ok: 0,
  /** The task failed, was rejected or was cancelled; or something went wrong that has no code of its own. */
  failed: 1,
  /** Arguments or configuration are wrong. */
  usage: 2,
  /** The task waits for an answer. */
  waiting: 3,
  notFound: 4,
  /** Nobody answers, or too busy: the same command may succeed later. */
  unavailable: 5,
  /** Credentials are missing, or are not accepted. */
  unauthenticated: 6,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
