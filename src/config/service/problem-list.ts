import { ConfigurationError, type ConfigurationProblem } from '../configuration-error.ts';
import type { KeyPath, YamlFile } from '../yaml-file.ts';
import { ProjectFileError } from './project-files.ts';

/** Problems as they are found, so that all of them are told at once. */
export class ProblemList {
  readonly #problems: ConfigurationProblem[] = [];

  add(file: YamlFile, path: KeyPath, message: string, at?: 'key' | 'value'): void {
    this.#problems.push(file.problem(path, message, at));
  }

  /** Does some work; what is wrong with the user's files is noted, and the work's result is then undefined. */
  async collect<Result>(file: YamlFile, path: KeyPath, work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ConfigurationError) this.#problems.push(...error.problems);
      else if (error instanceof ProjectFileError) this.add(file, path, error.message);
      else throw error;
      return undefined;
    }
  }

  /** @throws {ConfigurationError} when there are any. */
  throwIfAny(): void {
    if (this.#problems.length > 0) throw new ConfigurationError(this.#problems);
  }
}
