import type { Middleware } from 'koa';
import type { OperatorAuthenticator } from '../../auth/operator-authenticator.ts';
import type { RequestState } from '../request-state.ts';
import { credentialsOf } from './credentials-of.ts';

export function authenticateOperator(authenticate: OperatorAuthenticator): Middleware<RequestState> {
  return (ctx, next) => {
    authenticate(credentialsOf(ctx));
    return next();
  };
}
