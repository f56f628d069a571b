import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { Logger } from '../../observability/logger.ts';
import type { RequestState } from '../request-state.ts';

/** A proxy's ID is kept, when it is harmless in a log. */
export function assignRequestId(logger: Logger): Middleware<RequestState> {
  return (ctx, next) => {
    const given = ctx.get('X-Request-Id');
    const requestId = /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
    ctx.state.requestId = requestId;
    ctx.state.logger = logger.child({ requestId });
    ctx.set('X-Request-Id', requestId);
    return next();
  };
}
