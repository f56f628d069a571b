/** Writes the report: the same text for the same findings. */
import type { Citation, Finding } from './citations.ts';
import { shorten } from './questions.ts';

export interface Answered {
  readonly question: string;
  readonly findings: readonly Finding[];
}

export interface Report {
  readonly title: string;
  readonly markdown: string;
  readonly citations: readonly Citation[];
}

export interface ReportInput {
  readonly question: string;
  readonly packages: readonly { readonly name: string; readonly version: string }[];
  /** Only with findings that were verified. */
  readonly answers: readonly Answered[];
  /** Words of the question that no document holds. */
  readonly unknown: readonly string[];
  /** Quotes that were left out because they no longer stand in their files. */
  readonly dropped: number;
}

export function writeReport({ question, packages, answers, unknown, dropped }: ReportInput): Report {
  const title = titleOf(question);
  const citations = new Map<string, Citation>();
  const sections = answers.filter(hasFindings).map((answer) => section(answer, citations));
  const unanswered = answers.filter((answer) => !hasFindings(answer));
  const searched = packages.map(({ name, version }) => `${name} ${version}`).join(', ');
  const sources = [...citations.values()];

  const markdown = [
    `# ${title}`,
    sources.length === 0 ? nothingFound(question, answers.length) : inShort(answers, citations),
    ...(unknown.length === 0
      ? []
      : [`No document says anything of ${unknown.map((word) => `“${escape(word)}”`).join(', ')}.`]),
    ...sections,
    ...(unanswered.length === 0 ? [] : [notFound(unanswered)]),
    ...(sources.length === 0
      ? []
      : ['## Sources', 'Files are below `node_modules`.', sources.map(sourceLine).join('\n')]),
    '## How this was made',
    `Full-text search over the documentation and type declarations of ${searched}. Every quote was read again from its file before this was written${
      dropped === 0 ? '' : `; ${dropped} that could not be found there again were left out`
    }. No model took part: the quotes are the documents' own words, and choosing among them is left to the reader.`,
  ].join('\n\n');
  return { title, markdown: `${markdown}\n`, citations: sources };
}

function titleOf(question: string): string {
  const line = question.replace(/\s+/g, ' ').trim();
  return line === '' ? 'No question was asked' : shorten(escape(line), 120);
}

function nothingFound(question: string, searches: number): string {
  if (question.trim() === '') return 'There was no question, so nothing was searched for.';
  if (searches === 0) return 'The question holds no word that can be searched for, so nothing was found.';
  return 'Nothing was found. None of the documents searched holds enough of the words of this question, or words like them.';
}

function hasFindings({ findings }: Answered): boolean {
  return findings.length > 0;
}

function notFound(unanswered: readonly Answered[]): string {
  const questions = unanswered.map(({ question }) => `- ${escape(question)}`);
  return `## Looked for, and not found\n\n${questions.join('\n')}`;
}

/** The best passage of each of the first answers, by its first sentence. */
function inShort(answers: readonly Answered[], citations: ReadonlyMap<string, Citation>): string {
  const seen = new Set<string>();
  const lines = answers.flatMap(({ findings }) => {
    const best = findings.find((finding) => finding.kind !== 'example' && !seen.has(keyOf(finding)));
    if (best === undefined) return [];
    seen.add(keyOf(best));
    return [
      `- ${nameOf(best)}: “${readable(firstSentence(best.passage))}” [${citations.get(keyOf(best))?.number ?? 0}]`,
    ];
  });
  return `**In short**\n\n${lines.slice(0, 4).join('\n')}`;
}

function section({ question, findings }: Answered, citations: Map<string, Citation>): string {
  const heading = `## ${escape(question)}`;
  const again: number[] = [];
  const passages = findings.flatMap((finding) => {
    const known = citations.get(keyOf(finding));
    if (known !== undefined) {
      again.push(known.number);
      return [];
    }
    const { package: name, version, file, line, endLine, quote, passage } = finding;
    const number = citations.size + 1;
    citations.set(keyOf(finding), { number, package: name, version, file, line, endLine, quote, passage });
    return [`${nameOf(finding)} in ${name} [${number}]\n\n${quoted(finding)}`];
  });
  const seeAlso =
    again.length === 0
      ? []
      : [
          `See also ${again
            .toSorted((a, b) => a - b)
            .map((number) => `[${number}]`)
            .join(', ')}.`,
        ];
  return [heading, ...passages, ...seeAlso].join('\n\n');
}

function quoted({ kind, passage }: Finding): string {
  if (kind === 'example') return `\`\`\`\`\n${passage}\n\`\`\`\``;
  return `> ${readable(passage)}`;
}

/** Here the quote stands as in the file, so that it can be looked up. */
function sourceLine({ number, file, line, package: name, version, quote }: Citation): string {
  return `${number}. \`${file}:${line}\` (${name} ${version}): “${quote}”`;
}

function nameOf({ title, file }: Finding): string {
  if (title === '') return `\`${file.split('/').at(-1) ?? file}\``;
  return file.endsWith('.md') ? `**${escape(title)}**` : `**\`${title}\`**`;
}

function keyOf({ file, firstLine }: Finding): string {
  return `${file}:${firstLine}`;
}

function firstSentence(passage: string): string {
  return shorten(/^.{20,}?[.!?](?=\s|$)/u.exec(passage)?.[0] ?? passage, 200);
}

/** `{@link Name | text}` reads as its text. */
function readable(passage: string): string {
  return passage.replace(/\{@link(?:code)? ([^}|\s]+)(?:\s*\|?\s*([^}]+))?\}/g, (_, target: string, text?: string) => {
    return text?.trim() ?? `\`${target}\``;
  });
}

/** What a caller typed is text, never Markdown or HTML. */
function escape(text: string): string {
  return text.replace(/[\\`*_[\]<>#|]/g, (mark) => `\\${mark}`);
}
