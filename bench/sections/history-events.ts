import type { Section } from '../bench.ts';
import { value } from '../figures/figure.ts';
import { atMost } from '../figures/row.ts';

const EVENTS_MAX = 25;

export const historyEvents: Section = {
  name: 'history-events',
  about: "events in a simple task's history",
  async measure({ product: { client }, raw, say }) {
    const { id } = await client.run('quick');
    const events = await raw.ask('history', { workflowId: id });
    const rawEvents = await raw.ask('history', {});
    say(`a quick task: ${events.join(', ')}`);
    return [
      {
        what: 'history of a quick task',
        product: value(events.length, 'events'),
        raw: value(rawEvents.length, 'events'),
        aim: atMost('at most 25', events.length, EVENTS_MAX),
      },
    ];
  },
};
