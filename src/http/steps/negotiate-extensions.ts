import type { Middleware } from 'koa';
import type { ExtensionConfiguration } from '../../config/configuration.ts';
import type { CallerState } from '../request-state.ts';

const HEADER = 'A2A-Extensions';
/** As A2A 0.3 has it. */
const LEGACY_HEADER = 'X-A2A-Extensions';

/** A2A 1.0 §3.2.6, §4.6: which extensions the client uses, and which of them this agent has; the others are let be. */
export function negotiateExtensions(offered: readonly ExtensionConfiguration[]): Middleware<CallerState> {
  return (ctx, next) => {
    const header = ctx.get(HEADER) === '' && ctx.get(LEGACY_HEADER) !== '' ? LEGACY_HEADER : HEADER;
    const declared = ctx
      .get(header)
      .split(',')
      .map((uri) => uri.trim())
      .filter((uri) => uri !== '');
    ctx.state.extensions = declared;
    const active = offered.filter(({ uri }) => declared.includes(uri)).map(({ uri }) => uri);
    if (active.length > 0) ctx.set(header, active.join(', '));
    return next();
  };
}
