import type { AgentCard, CardBuilder } from '../agent-card.ts';
import type { Call } from '../call.ts';

/** A2A 1.0 §3.1.11: the card with what this caller may use. */
export function createGetExtendedAgentCard({ cards }: { cards: CardBuilder }) {
  return async function getExtendedAgentCard(_params: unknown, call: Call): Promise<AgentCard> {
    return cards.cardFor(call.caller);
  };
}
