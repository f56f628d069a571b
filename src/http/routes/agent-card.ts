import type { ParameterizedContext } from 'koa';
import { type CardBuilder, cardTag, LEGACY_VERSION } from '../../a2a/agent-card.ts';
import { toLegacyCard } from '../../a2a/sdk-handler/legacy-card.ts';
import { isNotModified } from '../not-modified.ts';
import { namedVersion } from '../protocol-version.ts';
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
    const current = await cards.cardFor(caller);
    // Who names no version gets the card of 1.0, in which those of 0.3 find their interface too.
    const isLegacy = namedVersion(ctx.headers, new URLSearchParams(ctx.querystring)) === LEGACY_VERSION;
    const card = isLegacy ? await toLegacyCard(current) : current;
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
