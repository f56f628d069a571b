import { isJsonRpcError } from '@a2a-js/sdk/errors';
import { CommandError } from '../command-error.ts';
import type { ExitCode } from '../exit-codes.ts';
import { EXIT } from '../exit-codes.ts';
import { sentence } from './checked-fetch.ts';

/** JSON-RPC codes that have an exit code of their own; any other is 1. */
const BY_CODE: Readonly<Record<number, { exitCode: ExitCode; code: string }>> = {
  [-32000]: { exitCode: EXIT.unavailable, code: 'unavailable' },
  [-32001]: { exitCode: EXIT.notFound, code: 'not-found' },
  [-32002]: { exitCode: EXIT.failed, code: 'not-cancelable' },
  [-32004]: { exitCode: EXIT.failed, code: 'unsupported-operation' },
  [-32602]: { exitCode: EXIT.usage, code: 'invalid-request' },
};

/** What a gateway's JSON-RPC error means to the user of the command. */
export function fromJsonRpc(rpcCode: number, message: string, cause?: unknown): CommandError {
  const { exitCode, code } = BY_CODE[rpcCode] ?? { exitCode: EXIT.failed, code: `rpc${rpcCode}` };
  return new CommandError(exitCode, code, sentence(message), { cause });
}

/** Errors of the A2A client, as the command shows them; anything else as it is. */
export function toCommandError(error: unknown): unknown {
  if (error instanceof CommandError) return error;
  if (isJsonRpcError(error)) return fromJsonRpc(error.envelopeCode, error.message, error);
  if (error instanceof Error && error.cause instanceof CommandError) return error.cause;
  return error;
}
