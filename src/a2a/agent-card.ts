import { createHash } from 'node:crypto';
import type { ServiceConfiguration } from '../config/configuration.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Publication } from '../domain/pipeline.ts';

/** ProtoJSON of A2A 1.0 §4.4.1. */
export type AgentCard = JsonObject;

export interface CardBuilder {
  /** The card with the skills of this caller; of nobody's when undefined. */
  cardFor(caller: string | undefined): AgentCard;
}

export const PROTOCOL_VERSION = '1.0';

/** Media types of messages that carry text. */
const TEXT = 'text/plain';
const JSON_TYPE = 'application/json';

export function createCardBuilder(service: ServiceConfiguration, version: string): CardBuilder {
  return {
    cardFor: (caller) => ({
      name: service.name,
      description: service.description,
      supportedInterfaces: [
        { url: `${service.publicUrl}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: PROTOCOL_VERSION },
      ],
      version,
      capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true },
      securitySchemes: {
        bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
        apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } },
      },
      // Either of them is enough. Absent where a request needs none.
      ...(service.anonymous === null && {
        securityRequirements: [{ schemes: { bearer: { list: [] } } }, { schemes: { apiKey: { list: [] } } }],
      }),
      defaultInputModes: [TEXT, JSON_TYPE],
      defaultOutputModes: [TEXT, JSON_TYPE],
      skills: service.publications
        .filter(({ allowedCallers }) => caller !== undefined && allowedCallers.includes(caller))
        .map(toSkill),
    }),
  };
}

function toSkill({ id, name, description, tags, examples, plain, inputSchema, textInput }: Publication): JsonObject {
  const takesText = inputSchema === undefined || textInput !== undefined;
  return {
    id,
    name,
    description,
    tags: tags.length > 0 ? tags : [plain ? 'skill' : 'pipeline'],
    ...(examples.length > 0 && { examples }),
    inputModes: takesText ? [TEXT, JSON_TYPE] : [JSON_TYPE],
    outputModes: plain ? [TEXT, JSON_TYPE] : [JSON_TYPE, TEXT],
  };
}

/** Strong entity tag of a card. */
export function cardTag(card: AgentCard): string {
  return `"${createHash('sha256').update(JSON.stringify(card)).digest('base64url').slice(0, 27)}"`;
}
