import { AgentCard as ProtoAgentCard } from '@a2a-js/sdk';
import { LegacyRestTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { type A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import type { AgentCard } from '../agent-card.ts';

/**
 * The card as A2A 0.3 writes it. `supportedInterfaces` stays in it, for readers who know both. A signature does not: it is one of
 * the 1.0 form.
 */
export async function toLegacyCard({ signatures: _, ...card }: AgentCard): Promise<AgentCard> {
  // The SDK exports its translation here alone.
  const source: Pick<A2ARequestHandler, 'getAuthenticatedExtendedAgentCard'> = {
    getAuthenticatedExtendedAgentCard: () => Promise.resolve(ProtoAgentCard.fromJSON(card)),
  };
  const translation = new LegacyRestTransportHandler(source as A2ARequestHandler);
  const legacy = await translation.getAuthenticatedExtendedAgentCard(new ServerCallContext());
  const { supportedInterfaces } = card;
  return {
    ...(JSON.parse(JSON.stringify(legacy)) as AgentCard),
    ...(supportedInterfaces !== undefined && { supportedInterfaces }),
  };
}
