import type Koa from 'koa';
import type { GatewayDependencies } from './gateway-dependencies.ts';
import { createOperatorApp } from './operator-app.ts';
import { createPublicApp } from './public-app.ts';
import type { CallerState, RequestState } from './request-state.ts';

/** Two applications for two listeners, so that no proxy has to know what is an operator's. */
export function createGateway(dependencies: GatewayDependencies): {
  publicApp: Koa<CallerState>;
  operatorApp: Koa<RequestState>;
} {
  return { publicApp: createPublicApp(dependencies), operatorApp: createOperatorApp(dependencies) };
}
