import type { Middleware } from 'koa';
import type { RequestState } from '../request-state.ts';

/** One line when the response has ended, or its reader has gone. Health checks are quiet. */
export const logAccess: Middleware<RequestState> = async (ctx, next) => {
  const begunAt = performance.now();
  const { method, path } = ctx;
  ctx.res.once('close', () => {
    ctx.state.logger[path === '/livez' || path === '/readyz' ? 'debug' : 'info'](
      {
        method,
        path,
        status: ctx.res.statusCode,
        durationMs: Math.round(performance.now() - begunAt),
        ...(!ctx.res.writableFinished && { cutOff: true }),
      },
      'request',
    );
  });
  await next();
};
