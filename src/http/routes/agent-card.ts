import type { ParameterizedContext } from 'koa';
import { type CardBuilder, cardTag } from '../../a2a/agent-card.ts';
import { isNotModified } from '../not-modified.ts';
import type { RequestState } from '../request-state.ts';

const MAX_AGE_SECONDS = 60;

export interface CardReader {
  /** Whose skills the card lists; undefined: nobody's. */
  readonly caller: string | undefined;
  /** Whoever asks gets the same card. */
  readonly isPublic: boolean;
}

/**
 * `GET /.well-known/agent-card.json`: A2A 1.0 §8.2, with the cache headers of §8.6.1.
 * @param modifiedAt when the configuration was last written
 */
export function createAgentCardHandler(cards: CardBuilder, modifiedAt: Date) {
  return async function handleAgentCard(
    ctx: ParameterizedContext<RequestState>,
    { caller, isPublic }: CardReader,
  ): Promise<void> {
    const card = await cards.cardFor(caller);
    ctx.set('Cache-Control', `${isPublic ? 'public' : 'private'}, max-age=${MAX_AGE_SECONDS}`);
    ctx.vary('A2A-Version');
    ctx.vary('Authorization');
    ctx.vary('X-API-Key');
    const tag = cardTag(card);
    ctx.set('ETag', tag);
    ctx.set('Last-Modified', modifiedAt.toUTCString());
    ctx.status = 200;
    if (isNotModified(ctx, { tag, modifiedAt })) {
      ctx.status = 304;
      return;
    }
    ctx.type = 'application/json';
    ctx.body = JSON.stringify(card);
  };
}
