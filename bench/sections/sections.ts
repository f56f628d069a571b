import type { Section } from '../bench.ts';
import { floor } from './floor.ts';
import { getTask } from './get-task.ts';
import { historyEvents } from './history-events.ts';
import { openStreams } from './open-streams.ts';
import { quickTask } from './quick-task.ts';
import { streamEvents } from './stream-events.ts';
import { submit } from './submit.ts';
import { throughput } from './throughput.ts';
import { waitingTasks } from './waiting-tasks.ts';

/** In the order in which they run: what fills the server comes last. */
export const SECTIONS: readonly Section[] = [
  floor,
  submit,
  quickTask,
  getTask,
  streamEvents,
  throughput,
  historyEvents,
  waitingTasks,
  openStreams,
];
