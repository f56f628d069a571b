import type { Logger } from '../observability/logger.ts';

/** `ctx.state` of every request. */
export interface RequestState {
  /** Also in the header `X-Request-Id`, and in every log line about the request. */
  requestId: string;
  logger: Logger;
}

/** `ctx.state` behind `authenticateCaller`. */
export interface CallerState extends RequestState {
  caller: string;
  /** URIs that the client has declared. */
  extensions: readonly string[];
}
