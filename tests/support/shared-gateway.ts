import { afterAll, beforeAll } from '@jest/globals';
import { startGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts';

/** One gateway for a suite: call it to get at the running one. */
export function sharedGateway(options: TestGatewayOptions = {}): () => TestGateway {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(options);
  });
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
  });
  return () => gateway;
}
