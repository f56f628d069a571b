/** `for_each` over much and over many: what an earlier stage made reaches every element, and the workflow does not carry it about. */
import { expect, it } from '@jest/globals';
import type { Task } from '../../src/domain/a2a.ts';
import { isTerminal } from '../../src/domain/task-state.ts';
import { sharedDeployment } from '../support/deployment.ts';
import { testServer } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';

const STAGES = `
const letters = (bytes, index) => String(index).padEnd(bytes, '.');

export const list = ({ input }) => {
  const [count, bytes] = input.text.split(' ').map(Number);
  return { summary: 'list', payload: { elements: Array.from({ length: count }, (_, index) => letters(bytes, index)) } };
};
export const each = ({ item, index, upstream }) => {
  if (item !== upstream.list.payload.elements[index]) throw new Error('another element');
  return { summary: String(index), payload: item };
};
export const end = ({ upstream }) => {
  const { list, each } = upstream;
  const isWhole = each.payload.every(({ payload }, index) => payload === list.payload.elements[index]);
  return { summary: 'end', payload: { isWhole, count: each.payload.length, last: each.payload.at(-1).summary } };
};
`;
const PIPELINE = `
id: elements
stages:
  - { id: list, executor: { kind: function, module: ./elements.mjs, export: list } }
  - { id: each, needs: [list], for_each: /list/payload/elements, executor: { kind: function, module: ./elements.mjs, export: each } }
  - { id: end, needs: [each], executor: { kind: function, module: ./elements.mjs, export: end } }
`;

const deployment = sharedDeployment({
  publications: `
- id: elements
  name: Elements
  description: Works on each.
  pipeline: ./elements.pipeline.yaml
  goal: To get through.
  allowed_callers: [alice]
  results: { stage: end }
`,
  files: { 'elements.mjs': STAGES, 'elements.pipeline.yaml': PIPELINE },
});

it.each([
  ['50 elements of 200 KB', 50, 200_000],
  ['1,000 small elements', 1_000, 10],
  ['1,000 elements of 10 KB', 1_000, 10_000],
])('%s are all worked on, each with what it stands on', async (_what, count, bytes) => {
  const fields = { messageId: `${count} ${bytes}`, metadata: { skillHint: 'elements' } };
  const configuration = { returnImmediately: true };
  const sent = await deployment().send(`${count} ${bytes}`, { message: fields, configuration });
  const { id } = sent.body.result.task as Task;
  const { status, artifacts } = await eventually(
    async () => {
      const task = await deployment().task(id);
      return isTerminal(task.status.state) && task;
    },
    { timeoutMs: 600_000, intervalMs: 250 },
  );
  expect(status.state).toBe('TASK_STATE_COMPLETED');
  expect(artifacts?.[0]?.parts[0]?.data).toEqual({ isWhole: true, count, last: String(count - 1) });
  const { workflow } = await testServer().client();
  const { events } = await workflow.getHandle(id).fetchHistory();
  const failed = (events ?? []).filter(
    (event) => event.workflowTaskFailedEventAttributes ?? event.workflowTaskTimedOutEventAttributes,
  );
  expect(failed).toEqual([]);
});
