import { Failure } from '../domain/failure.ts';
import { CommandError } from './command-error.ts';
import type { ExitCode } from './exit-codes.ts';
import { EXIT } from './exit-codes.ts';
import { colorsFor } from './output.ts';

/** Errors of other rooms that an operator can act on, by the `name` that they carry. */
const BY_NAME: Readonly<Record<string, { exitCode: ExitCode; code: string; next?: string }>> = {
  TemporalUnreachableError: { exitCode: EXIT.unavailable, code: 'unavailable' },
  ExecutorsError: { exitCode: EXIT.usage, code: 'executor', next: 'Put that right, then start again.' },
  ConfigurationError: { exitCode: EXIT.usage, code: 'configuration', next: 'Put that right, then start again.' },
  ForeignStoresError: {
    exitCode: EXIT.failed,
    code: 'stores',
    next: 'If those are gone for good: "longhaul setup --replace-stores" with these folders. What tasks have stored there is then lost.',
  },
  ConfigError: { exitCode: EXIT.usage, code: 'configuration', next: 'Put that right, then start again.' },
};

/** Writes what went wrong and what to do next, without a stack trace unless LONGHAUL_DEBUG=1. */
export function reportError(error: unknown, stderr: NodeJS.WriteStream, { isJson }: { isJson: boolean }): ExitCode {
  const { exitCode, code, message, next } = toReport(error);
  if (isJson) {
    stderr.write(`${JSON.stringify({ error: { code, message, ...(next !== undefined && { next }) } })}\n`);
  } else {
    const colors = colorsFor(stderr);
    stderr.write(`${colors.red('longhaul:')} ${message}\n`);
    if (next !== undefined) stderr.write(`${next}\n`);
  }
  if (process.env['LONGHAUL_DEBUG'] === '1') console.error(error);
  return exitCode;
}

function toReport(error: unknown): { exitCode: ExitCode; code: string; message: string; next?: string | undefined } {
  if (error instanceof CommandError) return error;
  if (error instanceof Failure) {
    const isAway = error.kind === 'unavailable' || error.kind === 'busy';
    return { exitCode: isAway ? EXIT.unavailable : EXIT.failed, code: error.kind, message: error.message };
  }
  const known = error instanceof Error ? BY_NAME[error.name] : undefined;
  if (error instanceof Error && known !== undefined) return { ...known, message: error.message };

  const system = (error as NodeJS.ErrnoException | null)?.code;
  if (system === 'EADDRINUSE') {
    return {
      exitCode: EXIT.failed,
      code: 'port-taken',
      message: `${addressOf(error as Error)} is taken: another program listens there.`,
      next: 'Choose others with --port, --operator-port and --grpc-port.',
    };
  }
  return {
    exitCode: EXIT.failed,
    code: 'error',
    message: error instanceof Error ? error.message : String(error),
    next: 'LONGHAUL_DEBUG=1 shows where it comes from.',
  };
}

/** Of `listen EADDRINUSE: address already in use 127.0.0.1:4000`. */
function addressOf(error: Error): string {
  const { address, port } = error as Error & { address?: string; port?: number };
  return address === undefined ? `Port ${port ?? ''}` : `${address}:${port ?? ''}`;
}
