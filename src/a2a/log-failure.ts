import { Failure } from '../domain/failure.ts';
import type { Logger } from '../observability/logger.ts';

export function logFailure(error: unknown, logger: Logger): void {
  if (!(error instanceof Failure)) logger.error({ error }, 'internal error');
  else if (error.kind === 'unavailable') logger.warn({ error }, 'unavailable');
  else logger.debug({ kind: error.kind, reason: error.message }, 'refused');
}
