import type { ParameterizedContext } from 'koa';

/**
 * RFC 9110 §13.1.2. Koa's own `fresh` answers in full to `Cache-Control: no-cache`, which Node's fetch adds to every
 * conditional request: but an entity tag that still matches is true whatever the caches.
 */
export function isNotModified(ctx: Pick<ParameterizedContext, 'get'>, tag: string): boolean {
  const known = ctx.get('If-None-Match').split(',');
  return known.some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === tag);
}
