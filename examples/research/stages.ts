/** The stages of research.pipeline.yaml, in their order. Each is a function of what it is given, and may run twice. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Envelope, Executor, ExecutorContext } from 'longhaul';
import { choosePackages } from './choice.ts';
import type { Finding } from './citations.ts';
import { isVerified, quote } from './citations.ts';
import { installedPackages } from './library/packages.ts';
import { openLibrary } from './library/search.ts';
import type { SubQuestion } from './questions.ts';
import { planQuestions } from './questions.ts';
import { writeReport } from './report.ts';

// Payloads are JSON, so their shapes are type aliases: TypeScript takes no interface where JSON is wanted.
type Plan = {
  readonly question: string;
  readonly packages: readonly string[];
  readonly questions: readonly SubQuestion[];
  readonly unknown: readonly string[];
};

type Gathered = {
  readonly question: string;
  readonly findings: readonly Finding[];
};

const FINDINGS_MAX = 3;
const TRIES_MAX = 3;

/** Asks the caller where to look. */
export const clarify: Executor = async ({ input, ask }) => {
  const installed = installedPackages().map(({ name }) => name);
  const found = `Found: ${installed.join(', ')}.`;
  let message = `Which packages should I search? Answer with names separated by commas, or \`all\`. ${found}`;

  for (let attempt = 1; attempt <= TRIES_MAX; attempt += 1) {
    // Each question has an ID of its own: an answer is kept, and given to the question that it was meant for.
    const answer = await ask({ id: attempt === 1 ? 'packages' : `packages-${attempt}`, kind: 'free_text', message });
    const { packages, unknown } = choosePackages(answer, installed);
    if (packages.length > 0) {
      const ignored = unknown.length === 0 ? '' : `; not installed, so left out: ${unknown.join(', ')}`;
      const summary = `Searching ${packages.length === installed.length ? 'all packages' : packages.join(', ')}${ignored}`;
      return { summary, payload: { question: questionIn(input), packages, unknown } };
    }
    message = `I know none of these: ${unknown.join(', ') || '(nothing)'}. Name one or more of the following, or \`all\`. ${found}`;
  }
  return {
    summary: 'Searching all packages, since no answer named one that is installed',
    payload: { question: questionIn(input), packages: installed, unknown: [] },
  };
};

/** Turns the question into several that can be searched for. */
export const plan: Executor = async ({ upstream, progress }) => {
  const { question, packages } = payloadOf(upstream['clarify']) as Pick<Plan, 'question' | 'packages'>;
  await progress({ text: `Reading ${packages.length} packages`, percent: 10, step: 'read' });
  const library = await openLibrary(chosen(packages));
  await progress({ text: `Read ${library.passages.size} passages`, percent: 60, step: 'read' });
  const { questions, unknown } = planQuestions(question, packages, library);
  const payload: Plan = { question, packages, questions, unknown };
  return { summary: `${questions.length} questions to look into`, payload };
};

/** Searches for one sub-question: runs once for each, side by side. */
export const gather: Executor = async ({ item, upstream, progress, step, signal }) => {
  const search = item as SubQuestion;
  const { packages } = payloadOf(upstream['plan']) as Plan;

  await progress({ text: search.text, percent: 5, step: 'open' });
  const library = await openLibrary(chosen(packages));
  await pause(signal);

  const words = search.terms.map(({ word }) => word).join(', ');
  await progress({ text: `Searching ${library.passages.size} passages for ${words}`, percent: 35, step: 'search' });
  // What was found is kept: a retry after this line does not search again.
  const findings = await step('search', () => library.search(search, FINDINGS_MAX).map(quote));
  await pause(signal);

  await progress({ text: `Found ${findings.length} passages`, percent: 70, step: 'quote' });
  await pause(signal);

  await progress({ text: 'Quoted with file and line', percent: 100, step: 'quote' });
  const payload: Gathered = { question: search.text, findings };
  return { summary: `${findings.length} passages for: ${search.text}`, payload };
};

/** Checks every quote against its file, then writes the report. */
export const report: Executor = async ({ upstream, progress, writeArtifact }) => {
  const { question, packages, unknown } = payloadOf(upstream['plan']) as Plan;
  const gathered = (payloadOf(upstream['gather']) as Envelope[]).map((envelope) => payloadOf(envelope) as Gathered);

  await progress({ text: 'Checking every quote against its file', percent: 20, step: 'verify' });
  let dropped = 0;
  const answers: Gathered[] = [];
  for (const { question: asked, findings } of gathered) {
    const verified: Finding[] = [];
    for (const finding of findings) {
      if (await isVerified(finding)) verified.push(finding);
      else dropped += 1;
    }
    answers.push({ question: asked, findings: verified });
  }

  await progress({ text: 'Writing report.md', percent: 80, step: 'write' });
  const searched = chosen(packages).map(({ name, version }) => ({ name, version }));
  const { title, markdown, citations } = writeReport({ question, packages: searched, answers, unknown, dropped });
  await writeArtifact({ name: 'report.md', mediaType: 'text/markdown', description: title, content: markdown });
  const summary =
    citations.length === 0 ? `Nothing was found for: ${title}` : `${title}: ${citations.length} citations`;
  return { summary, payload: { title, citations, packages: searched } };
};

function questionIn(input: unknown): string {
  const { question, text } = input as { question?: string; text?: string };
  return (question ?? text ?? '').trim();
}

function chosen(names: readonly string[]) {
  return installedPackages().filter(({ name }) => names.includes(name));
}

/** What an earlier stage left: this pipeline's own shapes, so they are not checked again. */
function payloadOf(envelope: Envelope | undefined): unknown {
  return envelope?.payload;
}

/**
 * A search takes milliseconds, which is too quick to watch. LONGHAUL_EXAMPLE_PACE_MS is the length of each of three
 * pauses, 400 unless set and 5000 at most; 0 for no pause. Your own stages need nothing like it.
 */
async function pause(signal: ExecutorContext['signal']): Promise<void> {
  const paceMs = Math.min(5_000, Number(process.env['LONGHAUL_EXAMPLE_PACE_MS'] ?? 400)) || 0;
  if (paceMs > 0) await delay(paceMs, undefined, { signal });
}
