import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { quietRuntime, testServer } from '../support/environment.ts';
import { SCENARIOS } from './scenarios.ts';

const FOLDER = join(import.meta.dirname, 'histories');
const names = readdirSync(FOLDER).map((file) => file.replace('.json', ''));
const read = (name: string): string => readFileSync(join(FOLDER, `${name}.json`), 'utf8');

async function replay(histories: readonly { workflowId: string; history: unknown }[]): Promise<Record<string, string>> {
  quietRuntime();
  const errors: Record<string, string> = {};
  const codePath = testServer().workflowBundlePath ?? '';
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle: { codePath } }, histories)) {
    if (error !== undefined) errors[workflowId] = String(error);
  }
  return errors;
}

/** Payloads are base64 in JSON: what they say is written out. */
function withPayloads(history: string): string {
  return JSON.stringify(
    JSON.parse(history, (key, value: unknown) =>
      key === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value,
    ),
  );
}

describe('the task workflow', () => {
  it('goes on with every task that an earlier one began', async () => {
    const histories = names.map((name) => ({ workflowId: name, history: JSON.parse(read(name)) as unknown }));
    expect(await replay(histories)).toEqual({});
  });

  it('is found out when it does something else than was recorded', async () => {
    const history = JSON.parse(read('asked').replaceAll('"runStage"', '"anotherActivity"')) as unknown;
    expect(await replay([{ workflowId: 'asked', history }])).toEqual({
      asked: expect.stringMatching(/nondeterminism/i),
    });
  });
});

describe('the recorded histories', () => {
  it('are of every kind of task', () => {
    expect(Object.keys(SCENARIOS).filter((name) => !names.includes(name))).toEqual([]);
  });

  it.each(names)('of %s names no machine, folder or file outside', (name) => {
    const history = withPayloads(read(name));
    expect(history).not.toMatch(/"[0-9]+@[^"]+"/);
    expect(history).not.toMatch(/\/(home|tmp|work|Users|root)\//);
    expect(history).not.toMatch(/externalPayload|longhaul-payloads/i);
  });
});
