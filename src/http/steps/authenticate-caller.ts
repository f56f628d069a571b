import type { Middleware } from 'koa';
import type { CallerAuthenticator } from '../../auth/caller-authenticator.ts';
import { isFromHere } from '../../auth/browser-guard.ts';
import { unauthenticated } from '../../auth/credentials.ts';
import type { CallerState } from '../request-state.ts';
import { credentialsOf } from './credentials-of.ts';

export interface AnonymousCaller {
  /** The caller that a request with no credentials counts as. */
  readonly id: string | null;
  /** Where the listener listens. */
  readonly boundHost: string;
  readonly publicUrl: string;
}

/** A web page must not be able to act as the anonymous caller. */
export function authenticateCaller(
  authenticate: CallerAuthenticator,
  anonymous: AnonymousCaller,
): Middleware<CallerState> {
  const publicName = new URL(anonymous.publicUrl).hostname;
  return (ctx, next) => {
    ctx.vary('Authorization');
    ctx.vary('X-API-Key');
    const from = { host: ctx.get('Host') || undefined, origin: ctx.get('Origin') || undefined };
    const otherwise = isFromHere(from, anonymous.boundHost, publicName) ? anonymous.id : null;
    const caller = authenticate(credentialsOf(ctx)) ?? otherwise;
    if (caller === null) throw unauthenticated();
    ctx.state.caller = caller;
    return next();
  };
}
