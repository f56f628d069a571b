/** What is wrong with what a user wrote: every problem at once, each with the place where it stands. */

export interface ConfigurationProblem {
  /** File, as seen from the working directory; or the name of an environment variable or a flag. */
  readonly source: string;
  /** Both from 1; absent where there is no file or no text to point to. */
  readonly line?: number;
  readonly column?: number;
  /** Such as `stages[3].needs[0]`; empty for the source as a whole. */
  readonly key: string;
  readonly message: string;
}

export class ConfigurationError extends Error {
  readonly problems: readonly ConfigurationProblem[];

  constructor(problems: readonly ConfigurationProblem[]) {
    super(problems.map(problemText).join('\n'));
    this.name = 'ConfigurationError';
    this.problems = problems;
  }
}

/** `research.pipeline.yaml:14:5 stages[3].needs[0]: no stage is named "plann"` */
function problemText({ source, line, column, key, message }: ConfigurationProblem): string {
  const place = line === undefined || column === undefined ? source : `${source}:${line}:${column}`;
  return key === '' ? `${place}: ${message}` : `${place} ${key}: ${message}`;
}
