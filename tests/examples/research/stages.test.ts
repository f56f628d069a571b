import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Citation, Finding } from '../../../examples/research/citations.ts';
import { isVerified } from '../../../examples/research/citations.ts';
import { installedPackages } from '../../../examples/research/library/packages.ts';
import type { SubQuestion } from '../../../examples/research/questions.ts';
import { clarify, gather } from '../../../examples/research/stages.ts';
import type { ResearchRun } from './run-research.ts';
import { contextOf, emptyRecord, envelopeOf, runResearch, Waiting } from './run-research.ts';

const EXAMPLE = join(import.meta.dirname, '../../../examples/research');
const MODULES = join(import.meta.dirname, '../../../node_modules');
const TWICE = 'How do I keep a Temporal activity from running twice?';

const pace = process.env['LONGHAUL_EXAMPLE_PACE_MS'];
beforeAll(() => {
  process.env['LONGHAUL_EXAMPLE_PACE_MS'] = '0';
});
afterAll(() => {
  if (pace === undefined) delete process.env['LONGHAUL_EXAMPLE_PACE_MS'];
  else process.env['LONGHAUL_EXAMPLE_PACE_MS'] = pace;
});

interface ReportPayload {
  readonly title: string;
  readonly citations: readonly Citation[];
  readonly packages: readonly { readonly name: string; readonly version: string }[];
}

function payloadOf({ envelopes }: ResearchRun): ReportPayload {
  return envelopes.final_report.payload as unknown as ReportPayload;
}

/** Citations whose quote does not stand on the line that they name; read with nothing of the example's own code. */
function unresolved(citations: readonly Citation[]): Citation[] {
  return citations.filter(({ file, line, quote }) => {
    const text = readFileSync(join(MODULES, file), 'utf8').split('\n')[line - 1] ?? '';
    return quote === '' || !text.includes(quote);
  });
}

describe('clarify', () => {
  const input = { question: TWICE };

  it('asks which packages to search, naming those that are installed', async () => {
    const waiting = clarify(contextOf({ input }));
    await expect(waiting).rejects.toThrow(Waiting);
    await expect(waiting).rejects.toMatchObject({
      question: { id: 'packages', message: expect.stringMatching(/`all`.*Found: .*@temporalio\/client.*zod/) },
    });
  });

  it('goes on with the answer, and says what it left out', async () => {
    const answers = { packages: 'temporal, Zod and leftpad' };
    const { summary, payload } = envelopeOf(await clarify(contextOf({ input, answers })));
    expect(payload).toMatchObject({
      question: TWICE,
      packages: expect.arrayContaining(['@temporalio/client', '@temporalio/workflow', 'zod']),
      unknown: ['leftpad'],
    });
    expect(summary).toContain('leftpad');
  });

  it('asks again, under another ID, when it knows none of the names', async () => {
    const asked = clarify(contextOf({ input, answers: { packages: 'leftpad' } }));
    await expect(asked).rejects.toMatchObject({
      question: { id: 'packages-2', message: expect.stringContaining('leftpad') },
    });
    const answers = { packages: 'leftpad', 'packages-2': 'koa' };
    const { payload } = envelopeOf(await clarify(contextOf({ input, answers })));
    expect(payload).toMatchObject({ packages: expect.arrayContaining(['koa']) });
  });

  it('searches everything when three answers name nothing', async () => {
    const answers = { packages: '', 'packages-2': '🦄', 'packages-3': 'x'.repeat(10_000) };
    const { payload } = envelopeOf(await clarify(contextOf({ input, answers })));
    expect(payload).toMatchObject({ packages: installedPackages().map(({ name }) => name) });
  });

  it('takes a plain text message as the question', async () => {
    const { payload } = envelopeOf(
      await clarify(contextOf({ input: { text: ` ${TWICE}\n`, parts: [] }, answers: { packages: 'all' } })),
    );
    expect(payload).toMatchObject({ question: TWICE });
  });
});

describe('a research from question to report', () => {
  let run: ResearchRun;
  beforeAll(async () => {
    run = await runResearch(TWICE);
  });

  it('plans three to six questions, each with an ID and words of its own', () => {
    const { questions } = run.envelopes.plan.payload as unknown as { questions: SubQuestion[] };
    expect(questions.length).toBeGreaterThanOrEqual(3);
    expect(questions.length).toBeLessThanOrEqual(6);
    expect(new Set(questions.map(({ id }) => id)).size).toBe(questions.length);
    expect(questions[0]).toMatchObject({
      text: TWICE,
      terms: expect.arrayContaining([{ word: 'twice', related: expect.arrayContaining(['retry', 'attempt']) }]),
      packages: expect.arrayContaining(['@temporalio/common']),
    });
  });

  it('finds what the documents say', () => {
    const { citations } = payloadOf(run);
    expect(citations.map(({ passage }) => passage).join('\n')).toMatch(/always executed at least once/);
    expect(citations.every(({ package: name }) => name.startsWith('@temporalio/'))).toBe(true);
  });

  it('cites lines that are there', async () => {
    const { citations } = payloadOf(run);
    expect(citations.length).toBeGreaterThan(3);
    expect(unresolved(citations)).toEqual([]);
    expect(await Promise.all(citations.map(isVerified))).toEqual(citations.map(() => true));
  });

  it('numbers its citations, uses each number, and lists each source', () => {
    const { citations } = payloadOf(run);
    const [body = '', sources = ''] = run.markdown.split('## Sources');
    expect(citations.map(({ number }) => number)).toEqual(citations.map((_, index) => index + 1));
    for (const { number, file, line, quote } of citations) {
      expect(body).toContain(`[${number}]`);
      expect(sources).toContain(`${number}. \`${file}:${line}\``);
      expect(sources).toContain(quote);
    }
    const used = [...body.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number));
    expect(used.filter((number) => number > citations.length || number < 1)).toEqual([]);
  });

  it('meets its own schema', () => {
    const schema = JSON.parse(readFileSync(join(EXAMPLE, 'report.schema.json'), 'utf8')) as object;
    const validate = new Ajv2020({ allErrors: true }).compile(schema);
    validate(run.envelopes.final_report.payload);
    expect(validate.errors).toBeNull();
  });

  it('writes the same report again', async () => {
    expect((await runResearch(TWICE)).markdown).toBe(run.markdown);
  });

  it('reports progress with step and percent, rising within a stage', async () => {
    const recorded = emptyRecord();
    const { questions } = run.envelopes.plan.payload as unknown as { questions: SubQuestion[] };
    await gather(contextOf({ item: questions[0], index: 0, upstream: { plan: run.envelopes.plan } }, recorded));
    const percents = recorded.progress.map(({ percent }) => percent);
    expect(percents).toEqual([...percents].sort((a = 0, b = 0) => a - b));
    expect(percents.at(-1)).toBe(100);
    expect(recorded.progress.every(({ step, text }) => step !== undefined && text !== undefined)).toBe(true);
    expect(recorded.steps).toEqual(['search']);
  });

  it('keeps payloads small', () => {
    const bytes = Object.values(run.envelopes).map((envelope) => JSON.stringify(envelope).length);
    expect(Math.max(...bytes)).toBeLessThan(32 * 1024);
  });
});

describe('gather', () => {
  it('ends in the middle of a pause when its signal aborts', async () => {
    const { envelopes } = await runResearch(TWICE);
    const { questions } = envelopes.plan.payload as unknown as { questions: SubQuestion[] };
    const cancel = new AbortController();
    const progress = async () => cancel.abort();
    process.env['LONGHAUL_EXAMPLE_PACE_MS'] = '5000';
    try {
      const upstream = { plan: envelopes.plan };
      const gathering = gather(contextOf({ item: questions[0], upstream, signal: cancel.signal, progress }));
      await expect(gathering).rejects.toThrow(/abort/i);
    } finally {
      process.env['LONGHAUL_EXAMPLE_PACE_MS'] = '0';
    }
  });
});

describe('a quote that no longer stands in its file', () => {
  it.each<[string, Partial<Finding>]>([
    ['another line', { line: 1 }],
    ['other words', { quote: 'Activities run exactly once.' }],
    ['another passage', { passage: 'Activities run exactly once.' }],
    ['a file that is gone', { file: '@temporalio/common/lib/gone.d.ts' }],
    ['a package that is gone', { package: 'leftpad', file: 'leftpad/README.md' }],
    ['no words at all', { quote: '' }],
  ])('is not verified: %s', async (_, change) => {
    const [citation] = payloadOf(await runResearch(TWICE, '@temporalio')).citations;
    expect(await isVerified({ ...citation!, ...change })).toBe(false);
  });
});

describe('odd questions end in an honest report', () => {
  it.each([
    ['an empty one', '', /There was no question/],
    ['spaces', '   \n ', /There was no question/],
    ['emoji', '🦄🦄🦄', /no word that can be searched for/],
    ['stop words', 'how do you do?', /no word that can be searched for/],
    ['words that nobody wrote', 'What is the airspeed of an unladen swallow?', /Nothing was found/],
  ])('%s', async (_, question, says) => {
    const run = await runResearch(question);
    expect(run.markdown).toMatch(says);
    expect(payloadOf(run)).toMatchObject({ citations: [] });
    expect(payloadOf(run).title).not.toBe('');
    expect(run.envelopes.final_report.summary).toMatch(/^Nothing was found/);
  });

  it("names of the caller's own, which the report says it does not know", async () => {
    const run = await runResearch('How do I keep my Frobnix activity from running twice on Zyzzyva servers?');
    expect(payloadOf(run).citations.length).toBeGreaterThan(0);
    expect(run.markdown).toContain('No document says anything of “frobnix”, “zyzzyva”');
  });

  it('ten thousand characters', async () => {
    const run = await runResearch('Why does the activity heartbeat time out? '.repeat(240));
    expect(payloadOf(run).citations.length).toBeGreaterThan(0);
    expect(unresolved(payloadOf(run).citations)).toEqual([]);
    expect(run.markdown.length).toBeLessThan(20_000);
  });

  it('Markdown and HTML, which stay text', async () => {
    const run = await runResearch('<script>alert(1)</script> [retry](http://example.com) `activity` | *policy*?');
    expect(run.markdown).not.toContain('<script>');
    expect(run.markdown).not.toMatch(/(?<!\\)\]\(http:\/\/example/);
  });

  it.each([
    'How does an A2A client resume a stream?',
    'How do I validate an optional string with zod, and what error does it throw?',
    'constructor __proto__ toString hasOwnProperty',
    'Wie überprüfe ich Retry-Policies?',
  ])('%s', async (question) => {
    const { citations } = payloadOf(await runResearch(question));
    expect(unresolved(citations)).toEqual([]);
  });
});
