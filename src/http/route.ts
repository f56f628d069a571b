import type { Middleware, ParameterizedContext } from 'koa';
import { RefusedRequest } from './refused-request.ts';

/** One path, one method: another path goes on, another method is refused with what is allowed. */
export function route<State>(
  method: 'GET' | 'POST',
  path: RegExp,
  handle: (ctx: ParameterizedContext<State>, ...segments: string[]) => Promise<void> | void,
): Middleware<State> {
  return async (ctx, next) => {
    const match = path.exec(ctx.path);
    if (match === null) {
      await next();
      return;
    }
    const isAllowed = ctx.method === method || (ctx.method === 'HEAD' && method === 'GET');
    if (!isAllowed) throw new RefusedRequest(405, 'invalid-request', 'Method not allowed', { Allow: method });
    await handle(ctx, ...match.slice(1));
  };
}
