import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { LEGACY_VERSION, PROTOCOL_VERSION } from '../a2a/agent-card.ts';
import type { A2ASurface } from '../a2a/surface.ts';
import { CODECS } from './codecs.ts';
import { codeOf, legacyCodeOf } from './envelope.ts';
import { createGrpcService, type GrpcDialect, type GrpcOptions, type GrpcService } from './handle-grpc.ts';
import { createLegacyEndpoints } from './legacy-methods.ts';

/** Each version of the protocol is a service with a name of its own. */
export function createGrpcServices({ methods, sdkHandler }: A2ASurface, options: GrpcOptions): readonly GrpcService[] {
  const current: GrpcDialect = {
    version: PROTOCOL_VERSION,
    definition: A2AService,
    codeOf,
    endpoints: new Map(
      [...CODECS].map(([name, codec]) => {
        const method = methods.get(name.charAt(0).toUpperCase() + name.slice(1));
        if (method === undefined) throw new Error(`No method is behind ${name}`);
        return [name, { codec, method }];
      }),
    ),
  };
  const legacy: GrpcDialect = {
    version: LEGACY_VERSION,
    definition: LegacyA2AService,
    codeOf: legacyCodeOf,
    endpoints: createLegacyEndpoints(sdkHandler),
  };
  return [current, legacy].map((dialect) => createGrpcService(dialect, options));
}
