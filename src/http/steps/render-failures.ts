import type { ParameterizedContext, Middleware } from 'koa';
import { logFailure } from '../../a2a/log-failure.ts';
import { toA2AError, type A2AErrorView } from '../../a2a/to-a2a-error.ts';
import { RefusedRequest } from '../refused-request.ts';
import type { RequestState } from '../request-state.ts';

export type RenderError = (error: A2AErrorView, ctx: ParameterizedContext<RequestState>) => unknown;

/** Last resort of every request: whatever was thrown becomes JSON, and what is a bug is logged and kept from the reader. */
export function renderFailures(bodyOf: RenderError): Middleware<RequestState> {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (ctx.res.headersSent) {
        ctx.state.logger.error({ error }, 'failed after the response had begun');
        ctx.res.destroy();
        return;
      }
      logFailure(error, ctx.state.logger);
      const view = toA2AError(error, ctx.state.requestId);
      const status = error instanceof RefusedRequest ? error.status : view.httpStatus;
      if (error instanceof RefusedRequest) ctx.set({ ...error.headers });
      if (view.retryAfterSeconds !== undefined) ctx.set('Retry-After', String(view.retryAfterSeconds));
      if (status === 401) ctx.set('WWW-Authenticate', 'Bearer realm="longhaul"');
      ctx.set('Cache-Control', 'no-store');
      ctx.status = status;
      ctx.body = bodyOf(view, ctx);
    }
  };
}
