import { type CardBuilder, createCardBuilder } from './agent-card.ts';
import { type CardSigner, createCardSigner } from './card-signer.ts';
import { createMethods, type Method } from './methods.ts';
import { createOperations, type OperationDependencies } from './operations/operations.ts';
import { createLegacyMethods } from './sdk-handler/legacy-methods.ts';
import { createSdkHandler } from './sdk-handler/sdk-handler.ts';

/** All that A2A callers may do, before a binding has dressed it: each of them dresses the same. */
export interface A2ASurface {
  readonly cards: CardBuilder;
  readonly signer?: CardSigner;
  /** Those of A2A 1.0. */
  readonly methods: ReadonlyMap<string, Method>;
  /** Those of A2A 0.3, in the form that JSON-RPC has there. */
  readonly legacyMethods: ReadonlyMap<string, Method>;
  /** The same operations, as the SDK's transports want them. */
  readonly sdkHandler: ReturnType<typeof createSdkHandler>;
}

export interface SurfaceDependencies extends Omit<OperationDependencies, 'cards'> {
  /** Of this product, shown on the card. */
  readonly version: string;
}

export function createSurface({ version, ...dependencies }: SurfaceDependencies): A2ASurface {
  const { service } = dependencies;
  const signer =
    service.cardSigningKey && createCardSigner(service.cardSigningKey, `${service.publicUrl}/.well-known/jwks.json`);
  const cards = createCardBuilder(service, version, signer);
  const operations = createOperations({ ...dependencies, cards });
  const sdkHandler = createSdkHandler({ operations, cards });
  return {
    cards,
    ...(signer !== undefined && { signer }),
    methods: createMethods(operations),
    legacyMethods: createLegacyMethods(sdkHandler),
    sdkHandler,
  };
}
