import type { Middleware } from 'koa';
import type { CallerAuthenticator } from '../../auth/caller-authenticator.ts';
import { unauthenticated } from '../../auth/credentials.ts';
import type { CallerState } from '../request-state.ts';
import { credentialsOf } from './credentials-of.ts';

/** `anonymous` is the caller that a request with no credentials counts as. */
export function authenticateCaller(
  authenticate: CallerAuthenticator,
  anonymous: string | null,
): Middleware<CallerState> {
  return (ctx, next) => {
    ctx.vary('Authorization');
    ctx.vary('X-API-Key');
    const caller = authenticate(credentialsOf(ctx)) ?? anonymous;
    if (caller === null) throw unauthenticated();
    ctx.state.caller = caller;
    return next();
  };
}
