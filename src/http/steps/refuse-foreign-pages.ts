import type { Middleware } from 'koa';
import { isFromHere } from '../../auth/browser-guard.ts';
import type { RequestState } from '../request-state.ts';

/** A web page must not be able to approve a gate on loopback. */
export function refuseForeignPages(boundHost: string): Middleware<RequestState> {
  return (ctx, next) => {
    if (isFromHere({ host: ctx.get('Host') || undefined, origin: ctx.get('Origin') || undefined }, boundHost))
      return next();
    ctx.state.logger.warn({ host: ctx.get('Host'), origin: ctx.get('Origin') }, 'refused a foreign Host or Origin');
    ctx.status = 403;
    ctx.body = { success: false, error: 'Forbidden: the Host or Origin of this request is not that of this server' };
    return undefined;
  };
}
