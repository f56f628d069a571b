import { type CredentialHeaders, hashToken, isSameHash, readToken, unauthenticated } from './credentials.ts';

/** @throws {Failure} `unauthenticated` unless the request is an operator's. */
export type OperatorAuthenticator = (headers: CredentialHeaders) => void;

/** Without a token the listener is open; configuration allows that on loopback only. */
export function createOperatorAuthenticator(tokenHash: Buffer | undefined): OperatorAuthenticator {
  if (tokenHash === undefined) return () => undefined;
  return (headers) => {
    const token = readToken(headers);
    if (token === undefined || !isSameHash(hashToken(token), tokenHash)) throw unauthenticated();
  };
}
