import type { ParameterizedContext } from 'koa';

/**
 * RFC 9110 §13.1.2. Koa's own `fresh` answers in full to `Cache-Control: no-cache`, which Node's fetch adds to every
 * conditional request: but an entity tag that still matches is true whatever the caches.
 */
export function isNotModified(
  ctx: Pick<ParameterizedContext, 'get'>,
  { tag, modifiedAt }: { readonly tag: string; readonly modifiedAt?: Date },
): boolean {
  const known = ctx.get('If-None-Match');
  if (known !== '') return known.split(',').some((each) => each.trim() === '*' || isSame(each, tag));
  const since = Date.parse(ctx.get('If-Modified-Since'));
  // Of whole seconds, as the header has them; nothing is after what is no date.
  return modifiedAt !== undefined && Math.floor(modifiedAt.getTime() / 1_000) * 1_000 <= since;
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((tag) => tag.trim().replace(/^W\//, ''));
  return a === b;
}
