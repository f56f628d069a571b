import { createHash } from 'node:crypto';

const TOKEN_CHARACTERS_MIN = 32;

/** How to make a token, or a secret, that `checkToken` takes. */
export function howToMake(variable: string): string {
  return `make one with: export ${variable}="$(openssl rand -hex 32)"`;
}

/** What is wrong with a token; undefined when it is fit for use. Never says what it is. */
export function tokenFault(token: string): string | undefined {
  if (/\s/.test(token)) return 'must hold no white space';
  if (token.length < TOKEN_CHARACTERS_MIN) return `must have at least ${TOKEN_CHARACTERS_MIN} characters`;
  return undefined;
}

/** Tokens are kept and compared as their SHA-256. */
export function tokenHash(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}
