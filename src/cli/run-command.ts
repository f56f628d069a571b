import type { ExitCode } from './exit-codes.ts';
import { EXIT } from './exit-codes.ts';
import type { Output } from './output.ts';
import { createOutput } from './output.ts';
import { reportError } from './report-error.ts';

/** A command's work: gets the words' way out, its arguments and flags; returns its exit code, 0 if it says none. */
export type CommandWork<Args extends unknown[]> = (output: Output, ...args: Args) => Promise<ExitCode | undefined>;

/** Makes an action for commander out of a command's work. */
export type RunCommand = <Args extends unknown[]>(work: CommandWork<Args>) => (...args: Args) => Promise<void>;

/** Runs commands, renders what they throw, and leaves the exit code for the process's own end. */
export function createRunCommand(setExitCode: (code: ExitCode) => void): RunCommand {
  return (work) =>
    async (...args) => {
      const flags = args.find((arg) => typeof arg === 'object' && arg !== null && !Array.isArray(arg)) as
        { json?: boolean } | undefined;
      const output = createOutput(process, { isJson: flags?.json ?? false });
      try {
        setExitCode((await work(output, ...args)) ?? EXIT.ok);
      } catch (error) {
        setExitCode(reportError(error, process.stderr, { isJson: output.isJson }));
      }
    };
}
