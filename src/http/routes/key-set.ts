import type { ParameterizedContext } from 'koa';
import type { CardSigner } from '../../a2a/card-signer.ts';
import type { RequestState } from '../request-state.ts';

const MAX_AGE_SECONDS = 3_600;

/** `GET /.well-known/jwks.json`: what the signatures of cards are verified with (RFC 7517). */
export function createKeySetHandler(signer: CardSigner) {
  return async function handleKeySet(ctx: ParameterizedContext<RequestState>): Promise<void> {
    ctx.set('Cache-Control', `public, max-age=${MAX_AGE_SECONDS}`);
    ctx.type = 'application/jwk-set+json';
    ctx.body = JSON.stringify(await signer.keySet());
  };
}
