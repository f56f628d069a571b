import type { CallerConfiguration } from '../config/configuration.ts';
import { type CredentialHeaders, hashToken, isSameHash, readToken, unauthenticated } from './credentials.ts';

/**
 * ID of the caller that a request's credentials prove; `undefined` when it has none.
 * @throws {Failure} `unauthenticated` when it has credentials that are not good.
 */
export type CallerAuthenticator = (headers: CredentialHeaders) => string | undefined;

export function createCallerAuthenticator(callers: readonly CallerConfiguration[]): CallerAuthenticator {
  const known = callers.flatMap(({ id, tokenHash }) => (tokenHash === undefined ? [] : [{ id, tokenHash }]));
  return (headers) => {
    const token = readToken(headers);
    if (token === undefined) return undefined;
    const hash = hashToken(token);
    // All are compared, so that the time tells nothing of which one it was.
    const [match] = known.filter(({ tokenHash }) => isSameHash(tokenHash, hash));
    if (match === undefined) throw unauthenticated();
    return match.id;
  };
}
