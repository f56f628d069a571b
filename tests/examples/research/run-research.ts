/** Runs the example's stages one after the other, as the pipeline would, with no Temporal. */
import type { Envelope, ExecutorContext, ExecutorResult, Json, Progress } from 'longhaul';
import { clarify, gather, plan, report } from '../../../examples/research/stages.ts';

/** Thrown by `ask` when no answer is there: the run ends, as in the product. */
export class Waiting extends Error {
  readonly question: { readonly id: string; readonly message: string };

  constructor(question: { readonly id: string; readonly message: string }) {
    super(`Waits for ${question.id}`);
    this.question = question;
  }
}

export interface Recorded {
  readonly progress: Progress[];
  readonly steps: string[];
  readonly artifacts: Record<string, string>;
}

export function contextOf(given: Partial<ExecutorContext>, recorded: Recorded = emptyRecord()): ExecutorContext {
  const answers = given.answers ?? {};
  const ask = async ({ id, message }: { id: string; message: string }) => {
    if (!(id in answers)) throw new Waiting({ id, message });
    return answers[id];
  };
  return {
    goal: undefined,
    input: {},
    message: { messageId: 'message', role: 'ROLE_USER', parts: [] },
    upstream: {},
    item: undefined,
    index: undefined,
    answers,
    followUps: [],
    attempt: 1,
    idempotencyKey: 'key',
    caller: 'analyst',
    signal: new AbortController().signal,
    ask: ask as unknown as ExecutorContext['ask'],
    step: async (name, work) => {
      recorded.steps.push(name);
      return work();
    },
    progress: async (progress) => void recorded.progress.push(progress),
    stream: async () => undefined,
    writeArtifact: async ({ name, content }) => {
      recorded.artifacts[name] = String(content);
      return undefined;
    },
    readArtifact: async ({ name }) => Buffer.from(recorded.artifacts[name] ?? ''),
    ...given,
  };
}

export function emptyRecord(): Recorded {
  return { progress: [], steps: [], artifacts: {} };
}

/** What crosses Temporal: an envelope whose payload is JSON and nothing else. */
export function envelopeOf(result: ExecutorResult): Envelope {
  if (!('summary' in result)) throw new Error(`No envelope: ${JSON.stringify(result)}`);
  const envelope = { summary: result.summary, artifacts: [], payload: result.payload };
  return JSON.parse(JSON.stringify(envelope)) as Envelope;
}

export interface ResearchRun {
  readonly envelopes: Readonly<Record<'clarify' | 'plan' | 'gather' | 'final_report', Envelope>>;
  readonly markdown: string;
  readonly recorded: Recorded;
}

export async function runResearch(question: string, packages = 'all'): Promise<ResearchRun> {
  const recorded = emptyRecord();
  const run = async (stage: typeof clarify, given: Partial<ExecutorContext>) =>
    envelopeOf(await stage(contextOf(given, recorded)));

  const clarified = await run(clarify, { input: { question }, answers: { packages } });
  const planned = await run(plan, { upstream: { clarify: clarified } });
  const elements: Envelope[] = [];
  for (const item of (planned.payload as { questions: Json[] }).questions) {
    elements.push(await run(gather, { item, index: elements.length, upstream: { clarify: clarified, plan: planned } }));
  }
  const gathered = { summary: '', artifacts: [], payload: elements as unknown as Json };
  const upstream = { clarify: clarified, plan: planned, gather: gathered };
  const finished = await run(report, { upstream });
  return {
    envelopes: { ...upstream, final_report: finished },
    markdown: recorded.artifacts['report.md'] ?? '',
    recorded,
  };
}
