import { createHash } from 'node:crypto';
import type { ServiceConfiguration } from '../config/configuration.ts';
import type { JsonObject } from '../domain/json.ts';
import { inputModesOf, outputModesOf } from '../domain/media-type.ts';
import type { Publication } from '../domain/pipeline.ts';
import type { CardSigner } from './card-signer.ts';

/** ProtoJSON of A2A 1.0 §4.4.1. */
export type AgentCard = JsonObject;

export interface CardBuilder {
  /** The card with the skills of this caller, signed where there is a key for it; of nobody's skills when undefined. */
  cardFor(caller: string | undefined): Promise<AgentCard>;
}

export const PROTOCOL_VERSION = '1.0';
export const LEGACY_VERSION = '0.3';

/** Cards follow from the configuration: each is made, and signed, once. */
export function createCardBuilder(service: ServiceConfiguration, version: string, signer?: CardSigner): CardBuilder {
  const cards = new Map<string | undefined, Promise<AgentCard>>();
  return {
    cardFor(caller) {
      const known = cards.get(caller);
      if (known !== undefined) return known;
      const plain = buildCard(service, version, caller);
      const card = signer === undefined ? Promise.resolve(plain) : signer.sign(plain);
      cards.set(caller, card);
      return card;
    },
  };
}

function buildCard(service: ServiceConfiguration, version: string, caller: string | undefined): AgentCard {
  const skills = service.publications.filter(
    ({ allowedCallers }) => caller !== undefined && allowedCallers.includes(caller),
  );
  const tenants = service.callers.find(({ id }) => id === caller)?.tenants ?? [];
  return {
    name: service.name,
    description: service.description,
    supportedInterfaces: [
      ...[undefined, ...tenants].flatMap((tenant) =>
        interfacesOf(service, PROTOCOL_VERSION).map((each) => ({ ...each, ...(tenant !== undefined && { tenant }) })),
      ),
      // After all of 1.0: a reader takes the first that it can speak. 0.3 knows no tenants.
      ...interfacesOf(service, LEGACY_VERSION),
    ],
    version,
    capabilities: {
      streaming: true,
      pushNotifications: service.push.isEnabled,
      extendedAgentCard: true,
      ...(service.extensions.length > 0 && { extensions: service.extensions.map((each) => ({ ...each })) }),
    },
    securitySchemes: {
      bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
      apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } },
    },
    // Either of them is enough. Absent where a request needs none.
    ...(service.anonymous === null && {
      securityRequirements: [{ schemes: { bearer: { list: [] } } }, { schemes: { apiKey: { list: [] } } }],
    }),
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: skills.map(toSkill),
  };
}

/** Those that are on, the preferred one first. */
function interfacesOf({ publicUrl, publicGrpc }: ServiceConfiguration, protocolVersion: string): readonly JsonObject[] {
  return [
    { url: `${publicUrl}/a2a`, protocolBinding: 'JSONRPC', protocolVersion },
    { url: `${publicUrl}/a2a/rest`, protocolBinding: 'HTTP+JSON', protocolVersion },
    ...(publicGrpc === undefined ? [] : [{ url: publicGrpc, protocolBinding: 'GRPC', protocolVersion }]),
  ];
}

function toSkill(publication: Publication): JsonObject {
  const { id, name, description, tags, examples, plain } = publication;
  return {
    id,
    name,
    description,
    tags: tags.length > 0 ? tags : [plain ? 'skill' : 'pipeline'],
    ...(examples.length > 0 && { examples }),
    inputModes: inputModesOf(publication),
    outputModes: outputModesOf(publication),
  };
}

/** Entity tag of what a card says: weak, since a signature may be made of fresh random numbers on each replica. */
export function cardTag({ signatures, ...card }: AgentCard): string {
  const digest = createHash('sha256').update(JSON.stringify(card)).digest('base64url').slice(0, 27);
  return signatures === undefined ? `"${digest}"` : `W/"${digest}"`;
}
