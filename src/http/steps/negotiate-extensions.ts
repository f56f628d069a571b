import type { Middleware } from 'koa';
import { negotiateExtensions as negotiate } from '../../a2a/negotiate-extensions.ts';
import type { ExtensionConfiguration } from '../../config/configuration.ts';
import type { CallerState } from '../request-state.ts';

const HEADER = 'A2A-Extensions';
/** As A2A 0.3 has it. */
const LEGACY_HEADER = 'X-A2A-Extensions';

export function negotiateExtensions(offered: readonly ExtensionConfiguration[]): Middleware<CallerState> {
  return (ctx, next) => {
    const header = ctx.get(HEADER) === '' && ctx.get(LEGACY_HEADER) !== '' ? LEGACY_HEADER : HEADER;
    const { declared, active } = negotiate(ctx.get(header), offered);
    ctx.state.extensions = declared;
    if (active.length > 0) ctx.set(header, active.join(', '));
    return next();
  };
}
